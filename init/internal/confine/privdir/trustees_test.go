package privdir

import (
	"slices"
	"testing"
)

func TestTrustees(t *testing.T) {
	for _, c := range []struct {
		sddl string
		want []string
	}{
		{"D:P(A;OICI;FA;;;S-1-5-21-1-2-3-1000)", []string{"S-1-5-21-1-2-3-1000"}},
		{"O:S-1-1-0G:S-1-1-0D:AI(A;;FA;;;SY)(A;OICIID;0x1200a9;;;WD)S:(AU;SA;FA;;;BG)", []string{"SY", "WD"}},
		{"D:(D;;FA;;;WD)(XA;;FA;;;BA;(x))", []string{"BA"}},
		{"D:P", nil},
		{"O:S-1-1-0", []string{"everybody"}},
		{"D:NO_ACCESS_CONTROL", []string{"everybody"}},
	} {
		if got := trustees(c.sddl); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.sddl, got, c.want)
		}
	}
}
