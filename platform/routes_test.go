package platform

import (
	"encoding/hex"
	"net/netip"
	"testing"
)

var (
	own4 = netip.MustParseAddr("198.18.0.1")
	own6 = netip.MustParseAddr("fd6d:6370:7362::1")
)

// Each field as rtnetlink(7) has it, in the order: length, kind, flags, number, port; the body; the attributes.
func TestRouteMessages(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"address", LoAddress(own4), "28000000 1400 0506 01000000 00000000" + "02 20 00 00 01000000" + "0800 0200 c6120001" + "0800 0100 c6120001"},
		{"address of IPv6", LoAddress(own6), "34000000 1400 0506 01000000 00000000" + "0a 80 00 00 01000000" + "0800 0800 02020000" + "1400 0100 fd6d6370736200000000000000000001"},
		{"route", LoRoute(own4), "2c000000 1800 0506 01000000 00000000" + "02 00 00 00 ff 03 fe 02 00000000" + "0800 0400 01000000" + "0800 0700 c6120001"},
		{"route of IPv6", LoRoute(own6), "38000000 1800 0506 01000000 00000000" + "0a 00 00 00 fe 03 00 02 00000000" + "0800 0400 01000000" +
			"1400 0700 fd6d6370736200000000000000000001"},
		{"unreachable", LoUnreachable(netip.MustParsePrefix("224.0.0.0/4")), "24000000 1800 0506 01000000 00000000" + "02 04 00 00 ff 03 00 07 00000000" +
			"0800 0100 e0000000"},
		{"unreachable by IPv6", LoUnreachable(netip.MustParsePrefix("ff00::/8")), "30000000 1800 0506 01000000 00000000" + "0a 08 00 00 fe 03 00 07 00000000" +
			"1400 0100 ff000000000000000000000000000000"},
	} {
		want, err := hex.DecodeString(spaceless(c.want))
		if err != nil || string(c.got) != string(want) {
			t.Errorf("%s: %x, want %x, %v", c.name, c.got, want, err)
		}
	}
}

func spaceless(s string) (all string) {
	for _, c := range s {
		if c != ' ' {
			all += string(c)
		}
	}
	return all
}

func TestAckErrno(t *testing.T) {
	for _, c := range []struct {
		name  string
		text  []byte
		errno int
		ok    bool
	}{
		{"success", message(nlError, make([]byte, 20)), 0, true},
		{"EPERM", message(nlError, append([]byte{0xff, 0xff, 0xff, 0xff}, make([]byte, 40)...)), 1, true},
		{"the end of a list", message(nlDone, make([]byte, 20)), 0, false},
		{"a short one", message(nlError, make([]byte, 3))[:19], 0, false},
		{"nothing", nil, 0, false},
	} {
		if errno, ok := AckErrno(c.text); errno != c.errno || ok != c.ok {
			t.Errorf("%s: %d, %v", c.name, errno, ok)
		}
	}
	if n := len(message(nlError, make([]byte, 20))); n != AckSize {
		t.Errorf("an answer without an error has %d bytes", n)
	}
}
