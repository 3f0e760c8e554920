package world

import (
	"encoding/binary"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// loopback is the number of the loopback interface, which is the first of each network namespace.
const loopback = 1

// A Message is one request of rtnetlink(7).
type Message struct {
	kind uint16
	body []byte
}

func (m *Message) attribute(kind uint16, value []byte) {
	m.body = binary.NativeEndian.AppendUint16(m.body, uint16(4+len(value)))
	m.body = binary.NativeEndian.AppendUint16(m.body, kind)
	m.body = append(m.body, value...) // 4 or 16 bytes: no padding
}

func family(a netip.Addr) byte {
	if a.Is4() {
		return unix.AF_INET
	}
	return unix.AF_INET6
}

// address gives the loopback interface an address.
func address(text string) Message {
	a := netip.MustParseAddr(text)
	m := Message{unix.RTM_NEWADDR,
		[]byte{family(a), byte(a.BitLen()), unix.IFA_F_NODAD, unix.RT_SCOPE_UNIVERSE, loopback, 0, 0, 0}}
	m.attribute(unix.IFA_LOCAL, a.AsSlice())
	return m
}

// Route sends what is for a prefix over the loopback interface, from an address.
func Route(kind byte, prefix, from string) Message {
	p := netip.MustParsePrefix(prefix)
	table, scope := byte(unix.RT_TABLE_MAIN), byte(unix.RT_SCOPE_LINK)
	if kind == unix.RTN_LOCAL {
		table, scope = unix.RT_TABLE_LOCAL, unix.RT_SCOPE_HOST
	}
	if p.Addr().Is6() {
		scope = unix.RT_SCOPE_UNIVERSE
	}
	m := Message{unix.RTM_NEWROUTE,
		[]byte{family(p.Addr()), byte(p.Bits()), 0, 0, table, unix.RTPROT_BOOT, scope, kind, 0, 0, 0, 0}}
	if p.Bits() > 0 {
		m.attribute(unix.RTA_DST, p.Addr().AsSlice())
	}
	m.attribute(unix.RTA_OIF, binary.NativeEndian.AppendUint32(nil, loopback))
	m.attribute(unix.RTA_PREFSRC, netip.MustParseAddr(from).AsSlice())
	return m
}

// Send sends the message and reads the kernel's answer.
func (m Message) Send() error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_ROUTE)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	b := binary.NativeEndian.AppendUint32(nil, uint32(unix.SizeofNlMsghdr+len(m.body)))
	b = binary.NativeEndian.AppendUint16(b, m.kind)
	b = binary.NativeEndian.AppendUint16(b, unix.NLM_F_REQUEST|unix.NLM_F_ACK|unix.NLM_F_CREATE)
	b = append(append(b, make([]byte, 8)...), m.body...)
	if err := unix.Sendto(fd, b, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return os.NewSyscallError("sendto", err)
	}
	answer := make([]byte, 4096)
	n, _, err := unix.Recvfrom(fd, answer, 0)
	if err != nil {
		return os.NewSyscallError("recvfrom", err)
	}
	if n < unix.SizeofNlMsghdr+4 {
		return unix.EPROTO
	}
	if errno := -int32(binary.NativeEndian.Uint32(answer[unix.SizeofNlMsghdr:])); errno != 0 {
		return os.NewSyscallError("rtnetlink", unix.Errno(errno))
	}
	return nil
}

// loopbackUp brings the loopback interface up; netdevice(7).
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING | unix.IFF_LOOPBACK)
	return os.NewSyscallError("lo", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
}
