package tap

import (
	"testing"

	"golang.org/x/sys/unix"
)

// through says whether the kernel lets a packet through a filter, which any datagram socket may have, as any user.
func through(t *testing.T, program []unix.SockFilter) func(packet []byte) bool {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		unix.Close(pair[0])
		unix.Close(pair[1])
	})
	if err := Attach(pair[1], program); err != nil {
		t.Fatal(err)
	}
	return func(packet []byte) bool {
		if _, err := unix.Write(pair[0], packet); err != nil { // a packet that the filter drops counts as sent
			t.Fatal(err)
		}
		n, err := unix.Read(pair[1], make([]byte, 1<<16))
		if err != nil && err != unix.EAGAIN || err == nil && n != len(packet) {
			t.Fatalf("% x: %d bytes read: %v", packet, n, err)
		}
		return err == nil
	}
}

// TestFilterTCP: the filter and the parser agree on every combination of flags, with and without options of IPv4.
func TestFilterTCP(t *testing.T) {
	four, six := through(t, FilterTCP(false)), through(t, FilterTCP(true))
	let := 0
	for flags := range 256 {
		for _, seq := range []uint32{0, 1, 1 << 31} {
			s := segment(byte(flags), seq)
			for _, n := range []int{0, 8, 40} {
				p := ipv4(protocolTCP, a4, b4, n, s)
				_, want := TCP4(p)
				if got := four(p); got != want {
					t.Errorf("IPv4, flags %x, number %d, options %d: %v, want %v", flags, seq, n, got, want)
				}
			}
			_, want := TCP6(s, a6)
			if got := six(s); got != want {
				t.Errorf("IPv6, flags %x, number %d: %v, want %v", flags, seq, got, want)
			}
			if want {
				let++
			}
		}
	}
	if let != 16 { // the four other flags mean nothing here
		t.Errorf("%d combinations are let through", let)
	}
	for n := range headerTCP {
		if p := segment(0x14, 0)[:n]; n < 14 && (six(p) || four(ipv4(protocolTCP, a4, b4, 0, p))) {
			t.Errorf("%d bytes of a header are let through", n)
		}
	}
}
