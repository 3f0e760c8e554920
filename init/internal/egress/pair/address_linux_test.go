package pair

import (
	"bytes"
	"errors"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// Addresses as connect(2) gets them, and the errno that the kernel has for wrong ones.
func TestParse(t *testing.T) {
	v4 := []byte{2, 0, 1, 187, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}
	v6 := append([]byte{10, 0, 1, 187, 0, 0, 0, 0, 0x20, 1, 0xd, 0xb8, 15: 0}, make([]byte, 8)...)
	mapped := append([]byte{10, 0, 0, 80, 0, 0, 0, 0, 18: 0xff, 19: 0xff, 20: 192, 22: 2, 23: 1}, make([]byte, 4)...)
	for _, c := range []struct {
		name   string
		b      []byte
		family int
		v6Only bool
		want   string // "": not valid
		err    error
	}{
		{"IPv4", v4, unix.AF_INET, false, "192.0.2.1:443", nil},
		{"IPv4, longer", append(bytes.Clone(v4), 1, 2), unix.AF_INET, false, "192.0.2.1:443", nil},
		{"IPv4, cut", v4[:15], unix.AF_INET, false, "", unix.EINVAL},
		{"IPv6", v6, unix.AF_INET6, false, "[2001:db8::]:443", nil},
		{"IPv6 without a scope", v6[:24], unix.AF_INET6, false, "[2001:db8::]:443", nil},
		{"IPv6, cut", v6[:23], unix.AF_INET6, false, "", unix.EINVAL},
		{"mapped", mapped, unix.AF_INET6, false, "192.0.2.1:80", nil},
		{"mapped, and IPv6 alone", mapped, unix.AF_INET6, true, "", unix.ENETUNREACH},
		{"of the other family", append(bytes.Clone(v4), make([]byte, 12)...), unix.AF_INET6, false, "", unix.EAFNOSUPPORT},
		{"of the other family", v6, unix.AF_INET, false, "", unix.EAFNOSUPPORT},
		{"AF_UNIX", []byte{1, 0, '/', 't', 'm', 'p', '/', 's', 0, 0, 0, 0, 0, 0, 0, 0}, unix.AF_INET, false, "", unix.EAFNOSUPPORT},
		{"none", []byte{0, 0}, unix.AF_INET, false, "", nil},
		{"one byte", []byte{2}, unix.AF_INET, false, "", unix.EINVAL},
		{"nothing", nil, unix.AF_INET, false, "", unix.EINVAL},
	} {
		got, err := parse(c.b, c.family, c.v6Only)
		if !errors.Is(err, c.err) || got.IsValid() != (c.want != "") || got.IsValid() && got.String() != c.want {
			t.Errorf("%s: %v, %v, want %q, %v", c.name, got, err, c.want, c.err)
		}
	}
}

// What a server sends as an address harms nothing, and what is read of it is what it is told again.
func FuzzParse(f *testing.F) {
	f.Add([]byte{2, 0, 1, 187, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}, true, false)
	f.Add(append([]byte{10, 0, 1, 187}, make([]byte, 24)...), false, true)
	f.Fuzz(func(t *testing.T, b []byte, v4, v6Only bool) {
		family := unix.AF_INET6
		if v4 {
			family = unix.AF_INET
		}
		at, err := parse(b, family, v6Only)
		if err != nil || !at.IsValid() {
			return
		}
		if at.Addr() != at.Addr().Unmap() || at.Addr().Zone() != "" {
			t.Fatalf("%v has two forms", at)
		}
		told := sockaddr(at, family)
		if again, err := parse(told, family, false); err != nil || again != at {
			t.Fatalf("%v, told as % x, is %v, %v", at, told, again, err)
		}
	})
}

func TestSockaddr(t *testing.T) {
	at := netip.MustParseAddrPort("192.0.2.1:80")
	if got := sockaddr(at, unix.AF_INET); !bytes.Equal(got, []byte{2, 0, 0, 80, 192, 0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0}) {
		t.Errorf("% x", got)
	}
	got := sockaddr(at, unix.AF_INET6) // of a socket of IPv6 the address is mapped
	if len(got) != 28 || got[0] != 10 || !bytes.Equal(got[8:24], []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1}) {
		t.Errorf("% x", got)
	}
}

// Options that are told back, and those of which the server learns that there are none.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		o    option
		kept bool
	}{
		{option{unix.SOL_TCP, unix.TCP_NODELAY}, true}, {option{unix.SOL_IPV6, unix.IPV6_V6ONLY}, true},
		{option{unix.SOL_IP, unix.IP_TOS}, true}, {option{unix.SOL_UDP, unix.UDP_SEGMENT}, true},
		{option{unix.SOL_TCP, unix.TCP_INFO}, false}, {option{unix.SOL_TCP, unix.TCP_REPAIR}, false},
		{option{unix.SOL_TCP, unix.TCP_ULP}, false}, {option{284, 1}, false}, {option{unix.SOL_SOCKET, unix.SO_TYPE}, false},
	} {
		if c.o.kept() != c.kept {
			t.Errorf("%+v is kept: %v", c.o, !c.kept)
		}
	}
	x := &socket{family: unix.AF_INET6, kind: unix.SOCK_DGRAM, stream: stream{err: unix.ECONNREFUSED}}
	for _, c := range []struct {
		name int
		want byte
		err  error
	}{
		{unix.SO_TYPE, unix.SOCK_DGRAM, nil}, {unix.SO_DOMAIN, unix.AF_INET6, nil}, {unix.SO_PROTOCOL, unix.IPPROTO_UDP, nil},
		{unix.SO_ERROR, byte(unix.ECONNREFUSED), nil},
		{unix.SO_PEERCRED, 0, unix.ENOPROTOOPT}, {unix.SO_PEERGROUPS, 0, unix.ENOPROTOOPT}, {77, 0, unix.ENOPROTOOPT},
	} {
		got, err := x.value(option{unix.SOL_SOCKET, c.name})
		if !errors.Is(err, c.err) || err == nil && !bytes.Equal(got, []byte{c.want, 0, 0, 0}) {
			t.Errorf("option %d: % x, %v", c.name, got, err)
		}
	}
}
