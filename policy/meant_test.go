package policy

import "testing"

// What other programs take is suggested in the manner of a policy, and other texts have no suggestion.
func TestMeant(t *testing.T) {
	for text, want := range map[string]string{
		"2g": "2G", "512mb": "512M", "512MB": "512M", "2 GiB": "2Gi", "1.5gb": "1.5G", "64kB": "64K",
		"": "", "x": "", "10X": "", "512M": "", "-1G": "", "1e3": "", "B": "", "iB": "", "512 Mega": "", "0b": "",
	} {
		if got := meantQuantity(text); got != "" && got != didYouMean(want) || got == "" && want != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"30sec": "30s", "5 min": "5m", "5mins": "5m", "2 hours": "2h", "1d": "24h", "2 days": "48h", "10s": "", "": "",
		"x": "", "5 parsecs": "", "99999 days": "", "-5min": "", "1.5 days": "",
	} {
		if got := meantDuration(text); got != "" && got != didYouMean(want) || got == "" && want != "" {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
