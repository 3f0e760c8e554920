package tap

import "golang.org/x/sys/unix"

// wholePacket is a filter's result: so many bytes of the packet are queued at most.
const wholePacket = 0xffff

// FilterTCP is the filter of a raw socket for TCP: RST and ACK with sequence number 0 alone. Over IPv4 the filter sees
// the IP header, of variable length, over IPv6 the TCP header.
func FilterTCP(v6 bool) []unix.SockFilter {
	f := filter{v6: v6}
	f.load(unix.BPF_B, 13)
	f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, flagsMask)
	f.equal(flagsRefused)
	f.load(unix.BPF_W, 4)
	f.equal(0)
	return f.program()
}

// Attach gives a socket a filter (SO_ATTACH_FILTER, socket(7)).
func Attach(fd int, program []unix.SockFilter) error {
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
}

// Unreachable lets a raw socket for ICMP or ICMPv6 have "destination unreachable" alone: ICMP_FILTER of raw(7) and
// ICMPV6_FILTER of RFC 3542, section 3.2. More comes through than the parsers take, and a compiled program would cost
// each start 20 µs.
func Unreachable(fd int, v6 bool) error {
	if v6 {
		var f unix.ICMPv6Filter
		for i := range f.Data {
			f.Data[i] = ^uint32(0)
		}
		f.Data[0] &^= 1 << (unreachable6 >> 8)
		return unix.SetsockoptICMPv6Filter(fd, unix.IPPROTO_ICMPV6, unix.ICMPV6_FILTER, &f)
	}
	const icmpFilter = 1 // ICMP_FILTER of linux/icmp.h
	return unix.SetsockoptInt(fd, unix.SOL_RAW, icmpFilter, ^(1 << (unreachable4 >> 8)))
}

// filter collects the instructions of a classic BPF program.
type filter struct {
	v6   bool
	code []unix.SockFilter
}

func (f *filter) add(op uint16, k uint32) { f.code = append(f.code, unix.SockFilter{Code: op, K: k}) }

// load loads the value at an offset from the header behind the IP header. A packet without it is refused by the kernel.
func (f *filter) load(size uint16, offset uint32) {
	if f.v6 {
		f.add(unix.BPF_LD|size|unix.BPF_ABS, offset)
		return
	}
	f.add(unix.BPF_LDX|unix.BPF_B|unix.BPF_MSH, 0) // X = 4 * (the first byte & 0xf), the length of the IP header
	f.add(unix.BPF_LD|size|unix.BPF_IND, offset)
}

// equal goes on if the loaded value is k. Else the jump, with a length that program fills in, ends the program.
func (f *filter) equal(k uint32) { f.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k) }

func (f *filter) program() []unix.SockFilter {
	f.add(unix.BPF_RET|unix.BPF_K, wholePacket)
	f.add(unix.BPF_RET|unix.BPF_K, 0)
	last := len(f.code) - 1
	for i := range f.code {
		if f.code[i].Code == unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K {
			f.code[i].Jf = uint8(last - i - 1)
		}
	}
	return f.code
}
