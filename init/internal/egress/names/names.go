// Package names gives each name that a server looks up an address of its own inside of the sandbox, its handle.
//
//	handle, err := table.Handle("example.com", false, vetted) // the answer to a question
//	name, ok := table.NameOf(local)                           // of the address that a connection came to
//
// A handle is only a key: connections are dialled to the name's addresses at that time. It belongs to one name for the
// life of the table, since pools and the JVM keep addresses for longer than any lifetime that an answer tells. A table
// holds [MaxNames] names and no more, whatever the server asks for.
//
// A Table is for one thread.
package names

import (
	"errors"
	"net/netip"
	"strings"
)

// MaxNames is how many names can have handles, of one family or both.
const MaxNames = 4096

// ErrFull means that [MaxNames] names have handles, and that this one would be one more.
var ErrFull = errors.New("4096 names have been looked up")

// A Table is made by [New].
type Table struct {
	handles  map[string]pair
	names    map[netip.Addr]string // the other way round
	reserved map[netip.Addr]struct{}
	next     [2]netip.Addr // the synthetic handle to be tried first, IPv4 and IPv6
	stars    map[string]*bucket
}

// A pair is the handles of a name, IPv4 and IPv6. One that is not valid was not asked for.
type pair [2]netip.Addr

// New makes an empty table.
func New() *Table {
	return &Table{
		handles:  map[string]pair{},
		names:    map[netip.Addr]string{},
		reserved: map[netip.Addr]struct{}{},
		next:     [2]netip.Addr{netip.AddrFrom4([4]byte{198, 18, 0, 2}), netip.AddrFrom16(ula(1))},
		stars:    map[string]*bucket{},
	}
}

// Reserve keeps an address that the policy opens as an address from becoming a handle. It is called before the first
// [Table.Handle]. The sandbox's own addresses are of its two ranges, and never a handle.
func (t *Table) Reserve(a netip.Addr) { t.reserved[a.Unmap().WithZone("")] = struct{}{} }

// Handle returns the address that the name has inside, always the same one: the first real one of the family that no
// other name has, or else one of 198.18.0.2 to 198.19.255.254 or fd6d:6370:7362:1::/64, which lead nowhere outside.
// The error is [ErrFull].
func (t *Table) Handle(name string, v6 bool, real []netip.Addr) (netip.Addr, error) {
	family := 0
	if v6 {
		family = 1
	}
	has, known := t.handles[name]
	if has[family].IsValid() {
		return has[family], nil
	}
	if !known && len(t.handles) >= MaxNames {
		return netip.Addr{}, ErrFull
	}
	handle, ok := t.free(real, v6)
	if !ok {
		if handle, ok = t.synthetic(family); !ok {
			return netip.Addr{}, ErrFull
		}
	}
	if !known {
		name = strings.Clone(name) // the table shall not hold the packet that the name stood in
	} else {
		name = t.names[has[1-family]]
	}
	has[family] = handle
	t.handles[name] = has
	t.names[handle] = name
	return handle, nil
}

// Known reports whether the name has a handle, of either family.
func (t *Table) Known(name string) bool {
	_, ok := t.handles[name]
	return ok
}

// NameOf returns the name that an address is the handle of. A dual-stack socket's ::ffff:192.0.2.1 is 192.0.2.1.
func (t *Table) NameOf(a netip.Addr) (string, bool) {
	name, ok := t.names[a.Unmap()]
	return name, ok
}

// Len is how many names have handles.
func (t *Table) Len() int { return len(t.handles) }

// free finds a real address that can become a handle.
func (t *Table) free(real []netip.Addr, v6 bool) (netip.Addr, bool) {
	for _, a := range real {
		if a.Is4() == v6 || !a.IsValid() || a.Is4In6() || a.Zone() != "" || ours(a) || t.taken(a) {
			continue
		}
		return a, true
	}
	return netip.Addr{}, false
}

// synthetic counts up to the next one that is free.
func (t *Table) synthetic(family int) (netip.Addr, bool) {
	last := netip.AddrFrom4([4]byte{198, 19, 255, 255}) // one too far: broadcast, if the range were a network
	for a := t.next[family]; ours(a) && a != last; a = a.Next() {
		if !t.taken(a) {
			t.next[family] = a.Next()
			return a, true
		}
	}
	return netip.Addr{}, false
}

func (t *Table) taken(a netip.Addr) bool {
	if _, ok := t.reserved[a]; ok {
		return true
	}
	_, ok := t.names[a]
	return ok
}

// ours reports whether an address is of the sandbox's two ranges.
func ours(a netip.Addr) bool {
	if a.Is4() {
		b := a.As4()
		return b[0] == 198 && b[1]&0xfe == 18
	}
	b := a.As16()
	return [6]byte(b[:6]) == [6]byte{0xfd, 0x6d, 0x63, 0x70, 0x73, 0x62}
}

// ula is an address of fd6d:6370:7362:1::/64.
func ula(last byte) [16]byte {
	return [16]byte{0xfd, 0x6d, 0x63, 0x70, 0x73, 0x62, 0, 1, 15: last}
}
