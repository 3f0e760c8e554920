package tap

import (
	"errors"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// The addresses of a sandbox: its own, and routes that make every address local.
var own4, own6 = netip.MustParsePrefix("198.18.0.1/32"), netip.MustParsePrefix("fd6d:6370:7362::1/128")

// inside runs act on a thread in a network namespace like a sandbox's: that thread ends with its goroutine.
func inside(t *testing.T, act func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root makes a network namespace without a user namespace")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			t.Error("unshare:", err)
			return
		}
		if err := everyAddressLocal(); err != nil {
			t.Error(err)
			return
		}
		act()
	}()
	<-done
}

// everyAddressLocal brings lo up, and gives it the addresses and routes. An address of IPv6 comes with two routes: one
// to its prefix at once, which over lo refuses every packet, and later, from a work queue, the local one that beats it.
// Without the first (IFA_F_NOPREFIXROUTE) the default route serves until then; with it the first packets can be lost.
func everyAddressLocal() error {
	s, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	defer unix.Close(s)
	const ack = unix.NLM_F_REQUEST | unix.NLM_F_ACK
	const create = ack | unix.NLM_F_CREATE | unix.NLM_F_EXCL
	up := append([]byte{unix.AF_UNSPEC, 0, 0, 0}, native(1, unix.IFF_UP, unix.IFF_UP)...)
	if err := request(s, unix.RTM_NEWLINK, ack, up); err != nil {
		return err
	}
	for _, p := range []netip.Prefix{own4, own6} {
		family := byte(unix.AF_INET)
		if p.Addr().Is6() {
			family = unix.AF_INET6
		}
		address := slices.Concat([]byte{family, byte(p.Bits()), 0, unix.RT_SCOPE_UNIVERSE}, native(1),
			attribute(unix.IFA_FLAGS, native(unix.IFA_F_NODAD|unix.IFA_F_NOPREFIXROUTE)),
			attribute(unix.IFA_LOCAL, p.Addr().AsSlice()), attribute(unix.IFA_ADDRESS, p.Addr().AsSlice()))
		if err := request(s, unix.RTM_NEWADDR, create, address); err != nil {
			return err
		}
		scope := byte(unix.RT_SCOPE_HOST)
		route := slices.Concat([]byte{family, 0, 0, 0, unix.RT_TABLE_MAIN, unix.RTPROT_STATIC, scope, unix.RTN_LOCAL}, native(0),
			attribute(unix.RTA_OIF, native(1)), attribute(unix.RTA_PREFSRC, p.Addr().AsSlice()))
		if err := request(s, unix.RTM_NEWROUTE, create, route); err != nil {
			return err
		}
	}
	return nil
}

func request(s int, kind, flags uint16, body []byte) error {
	b := slices.Concat(native(uint32(unix.NLMSG_HDRLEN+len(body)), uint32(kind)|uint32(flags)<<16, 1, 0), body)
	if err := unix.Sendto(s, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	answer := make([]byte, 4096)
	if n, err := unix.Read(s, answer); err != nil || n < 20 {
		return errors.Join(errors.New("no answer of netlink's"), err)
	}
	if errno := -int32(uint32(answer[16]) | uint32(answer[17])<<8 | uint32(answer[18])<<16 | uint32(answer[19])<<24); errno != 0 {
		return errors.Join(errors.New("netlink, message type "+strconv.Itoa(int(kind))), unix.Errno(errno))
	}
	return nil
}

// native writes words as amd64 and arm64 do.
func native(words ...uint32) (b []byte) {
	for _, w := range words {
		b = append(b, byte(w), byte(w>>8), byte(w>>16), byte(w>>24))
	}
	return b
}

func attribute(kind uint16, value []byte) []byte {
	return append(native(uint32(4+len(value))|uint32(kind)<<16), value...)
}
