package pair

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An Account is of the calls that were answered before the server runs.
type Account struct {
	Calls  string         // how many of each name, "2 connect, 3 socket"
	Made   map[uint64]int // by the inode number of each socket: the thread that asked for it
	Failed error          // why a caller's descriptors could not be read
}

// A proof is an account that is being kept. A nil one is none: its methods do nothing.
type proof struct {
	Account
	name  func(number uint32) string
	calls map[string]int
}

func (p *proof) count(number uint32) {
	if p != nil {
		p.calls[p.name(number)]++
	}
}

func (p *proof) make(inode uint64, thread int) {
	if p != nil {
		p.Made[inode] = thread
	}
}

func (p *proof) fail(err error) {
	if p != nil && p.Failed == nil {
		p.Failed = err
	}
}

// Account is of the calls until now.
func (s *Sockets) Account() Account {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.proof.calls)) {
		all = append(all, strconv.Itoa(s.proof.calls[name])+" "+name)
	}
	s.proof.Calls = strings.Join(all, ", ")
	return s.proof.Account
}

// Begin is called before the server is released: nothing is noted any more.
func (s *Sockets) Begin() { s.proof = nil }
