package platform

import (
	"encoding/binary"
	"net/netip"
)

// From linux/rtnetlink.h and linux/if_addr.h. Numbers in a netlink message are in the machine's order of bytes, which
// is little-endian on every machine that this project supports.
const (
	newAddress, getAddress = 20, 22
	addressInfo            = 8 // sizeof(struct ifaddrmsg)

	addressPeer, addressLocal, addressBroadcast = 1, 2, 4 // IFA_ADDRESS, IFA_LOCAL, IFA_BROADCAST
)

// AddressDump is a request for the addresses of all interfaces; rtnetlink(7).
func AddressDump() []byte {
	b := make([]byte, nlHeader+addressInfo)
	b[0], b[4] = byte(len(b)), getAddress
	b[6], b[7] = requested&0xff, requested>>8
	b[8] = 1
	return b
}

// ParseAddresses reads one answer to [AddressDump]: addresses, and the broadcast addresses of their networks. done is
// true if it held the end of the list.
func ParseAddresses(b []byte) (all []netip.Addr, done, ok bool) {
	for len(b) > 0 {
		if len(b) < nlHeader {
			return nil, false, false
		}
		n := int(binary.LittleEndian.Uint32(b))
		if n < nlHeader || n > len(b) {
			return nil, false, false
		}
		switch int(b[4]) | int(b[5])<<8 {
		case nlDone:
			done = true
		case nlError:
			return nil, false, false
		case newAddress:
			found, fine := parseAddress(b[nlHeader:n])
			if !fine {
				return nil, false, false
			}
			all = append(all, found...)
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return all, done, true
}

// parseAddress reads a struct ifaddrmsg and its attributes.
func parseAddress(b []byte) (all []netip.Addr, ok bool) {
	if len(b) < addressInfo {
		return nil, false
	}
	for b = b[addressInfo:]; len(b) >= 4; {
		n, kind := int(binary.LittleEndian.Uint16(b)), int(binary.LittleEndian.Uint16(b[2:]))
		if n < 4 || n > len(b) {
			return nil, false
		}
		if kind == addressPeer || kind == addressLocal || kind == addressBroadcast {
			if a, fine := netip.AddrFromSlice(b[4:n]); fine {
				all = append(all, a)
			}
		}
		b = b[min((n+3)&^3, len(b)):]
	}
	return all, true
}
