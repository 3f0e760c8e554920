package dns

import "testing"

func TestReverseName(t *testing.T) {
	nibbles := "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2"
	for name, want := range map[string]string{
		"1.2.0.192.in-addr.arpa":        "192.0.2.1",
		"255.0.10.0.in-addr.arpa":       "0.10.0.255",
		nibbles + ".ip6.arpa":           "2001:db8::1",
		"f" + nibbles[1:] + ".ip6.arpa": "2001:db8::f",

		"in-addr.arpa": "", ".in-addr.arpa": "", "1.in-addr.arpa": "", "2.0.192.in-addr.arpa": "",
		"0.1.2.0.192.in-addr.arpa": "", "01.2.0.192.in-addr.arpa": "", "256.2.0.192.in-addr.arpa": "",
		"1.2.0.192in-addr.arpa": "", "x.2.0.192.in-addr.arpa": "", "1..0.192.in-addr.arpa": "", "1.2.0.192": "",
		"-1.2.0.192.in-addr.arpa": "", "1.2.0.192.in-addr.arpa.": "", "1.2.0.0xc.in-addr.arpa": "", "0000.2.0.1.in-addr.arpa": "",
		"ip6.arpa": "", nibbles: "", "0." + nibbles + ".ip6.arpa": "", nibbles[2:] + ".ip6.arpa": "",
		"F" + nibbles[1:] + ".ip6.arpa": "", "g" + nibbles[1:] + ".ip6.arpa": "", nibbles[:1] + "-" + nibbles[2:] + ".ip6.arpa": "",
		"." + nibbles[1:] + ".ip6.arpa": "", "": "",
	} {
		got, ok := ReverseName(name)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("%q: %v, %v, want %q", name, got, ok, want)
		}
	}
}
