package pair

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
)

// A proof is an account, of the calls before the server runs, that is being kept. A nil one is none: its methods do
// nothing.
type proof struct {
	layers.Served
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

// Served is the account of the calls until now.
func (s *Sockets) Served() layers.Served {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(s.proof.calls)) {
		all = append(all, strconv.Itoa(s.proof.calls[name])+" "+name)
	}
	s.proof.Calls = strings.Join(all, ", ")
	return s.proof.Served
}

// Begin is called before the server is released: nothing is noted any more.
func (s *Sockets) Begin() { s.proof = nil }
