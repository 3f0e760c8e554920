package program

import (
	"slices"
	"sync"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
)

// A Program is a list of Ops and their data in memory, as a [Builder] stored them.
type Program struct {
	mem   []byte
	n     int // Ops
	metas []meta
	data  *area
}

// Len is the number of Ops so far.
func (p *Program) Len() int { return p.n }

// Copy copies the results and the data of the program.
func (p *Program) Copy() *Results {
	r, _ := spare.Get().(*Results)
	if r == nil {
		r = &Results{}
	}
	ops, data := opAt(p.n), p.data.end-dataFrom
	r.ops, r.data = slices.Grow(r.ops[:0], ops)[:ops], slices.Grow(r.data[:0], data)[:data]
	r.CopyAgain(p)
	return r
}

// spare has copies that were read to the end. A copy is some 30 pages, and in a host that collects its garbage seldom
// each would be a fault.
var spare sync.Pool

// Live is the result of the Op in the memory of the running program.
func (p *Program) Live(o Op) int64 { return int64(get64(p.mem, o.offset()+offRes)) }

// LiveWord32 is the 32-bit word at a in the memory of the running program. The address must be the builder's,
// never one that was read from the memory.
func (p *Program) LiveWord32(a Addr) uint32 { return get32(p.mem, int(a-Base)) }

// Class is the class of the Op at i.
func (p *Program) Class(i int) Class { return p.metas[i].class }

// Op is the Op at i.
func (p *Program) Op(i int) Op { return Op{p, i} }

// Disarm replaces the Op by one that does nothing and meets any demand, for a test that the evidence misses
// it.
func (p *Program) Disarm(i int) {
	at := opAt(i)
	p.mem[at+offWant] = wantAny
	put32(p.mem, at+offNr, nothing)
}

// Called is the name of the system call of the Op at i, or empty for an Op without a call.
func (p *Program) Called(i int) string {
	if p.mem[opAt(i)+offKind] != kindCall {
		return ""
	}
	return seccomp.Name(get32(p.mem, opAt(i)+offNr))
}

// Arg is argument n of the Op at i as it is stored: the value, or its address.
func (p *Program) Arg(i, n int) uint64 { return get64(p.mem, opAt(i)+offArgs+8*n) }

// SetArg replaces argument n of the Op at i, for a test that weakens a call.
func (p *Program) SetArg(i, n int, v uint64) { put64(p.mem, opAt(i)+offArgs+8*n, v) }

// SetCall replaces the system call of the Op at i, for a test that undoes a protection.
func (p *Program) SetCall(i int, nr uint32) { put32(p.mem, opAt(i)+offNr, nr) }
