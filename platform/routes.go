package platform

import (
	"encoding/binary"
	"net/netip"
	"slices"
)

// Messages of rtnetlink(7) that give lo addresses and routes. lo is the interface of number 1 in every network
// namespace (LOOPBACK_IFINDEX).

const (
	newRoute = 24 // RTM_NEWROUTE

	creates = 0x1 | 0x4 | 0x200 | 0x400 // NLM_F_REQUEST, ACK, EXCL, CREATE

	attrFlags     = 8     // IFA_FLAGS
	noDAD         = 0x2   // IFA_F_NODAD: the address can be used at once
	noPrefixRoute = 0x200 // IFA_F_NOPREFIXROUTE: else lo's route to the prefix rejects the first packets, now and then

	routeTo     = 1 // RTA_DST
	routeOut    = 4 // RTA_OIF
	routeSource = 7 // RTA_PREFSRC

	familyIPv4, familyIPv6 = 2, 10

	tableMain, tableLocal = 254, 255
	protoBoot, scopeHost  = 3, 254
	typeLocal             = 2 // RTN_LOCAL
	typeUnreachable       = 7 // RTN_UNREACHABLE
	loNumber              = 1
)

// AckSize is the size of the answer to a message that the kernel has obeyed: struct nlmsghdr and struct nlmsgerr. An
// error's answer is larger, for it holds the message.
const AckSize = nlHeader + 4 + nlHeader

// LoAddress is the message that gives lo an address, with the prefix of that address alone. The address's own local
// route is enough.
func LoAddress(a netip.Addr) []byte {
	bytes := a.AsSlice()
	b := rtMessage(newAddress, []byte{family(a), byte(a.BitLen()), 0, 0, loNumber, 0, 0, 0})
	if a.Is6() {
		b = attribute(b, attrFlags, []byte{noDAD, noPrefixRoute >> 8, 0, 0})
	} else {
		b = attribute(b, addressLocal, bytes)
	}
	return sized(attribute(b, addressPeer, bytes))
}

// LoRoute is the message that makes every address of a family one of this machine's, by a local route over lo: a socket
// that listens on all addresses is reached by each. Connections come from the source address. Without it both ends
// would have the address that was asked for.
//
// IPv6's route is in the main table: in the local one, which is looked up first, it would win against the addresses
// themselves.
func LoRoute(source netip.Addr) []byte {
	table, scope := byte(tableLocal), byte(scopeHost)
	if source.Is6() {
		table, scope = tableMain, 0
	}
	b := rtMessage(newRoute, []byte{family(source), 0, 0, 0, table, protoBoot, scope, typeLocal, 0, 0, 0, 0})
	b = attribute(b, routeOut, []byte{loNumber, 0, 0, 0})
	return sized(attribute(b, routeSource, source.AsSlice()))
}

// LoUnreachable is the message that has every send to a network of addresses fail with EHOSTUNREACH, in the table of
// [LoRoute]: a longer prefix wins.
func LoUnreachable(to netip.Prefix) []byte {
	a, table := to.Addr(), byte(tableLocal)
	if a.Is6() {
		table = tableMain
	}
	b := rtMessage(newRoute, []byte{family(a), byte(to.Bits()), 0, 0, table, protoBoot, 0, typeUnreachable, 0, 0, 0, 0})
	return sized(attribute(b, routeTo, a.AsSlice()))
}

// AckErrno is the error in an answer that is no longer than a message can be, and 0 for success; ok is false for
// another message.
func AckErrno(b []byte) (errno int, ok bool) {
	if len(b) < nlHeader+4 || b[4] != nlError || b[5] != 0 {
		return 0, false
	}
	return -int(int32(binary.LittleEndian.Uint32(b[nlHeader:]))), true
}

func family(a netip.Addr) byte {
	if a.Is6() {
		return familyIPv6
	}
	return familyIPv4
}

func rtMessage(kind byte, body []byte) []byte {
	b := make([]byte, nlHeader, 96)
	b[4] = kind
	b[6], b[7] = creates&0xff, creates>>8
	b[8] = 1
	return append(b, body...)
}

// attribute adds one struct rtattr, whose payload is a multiple of four bytes.
func attribute(b []byte, kind byte, payload []byte) []byte {
	return append(append(b, byte(4+len(payload)), 0, kind, 0), payload...)
}

func sized(b []byte) []byte {
	b = slices.Clip(b)
	b[0] = byte(len(b))
	return b
}
