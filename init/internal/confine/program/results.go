package program

import (
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
)

// Results are a copy of the Ops and data of a program at one moment. Later writes by the runner, or by a process that
// took it over, do not change the copy.
type Results struct {
	ops, data []byte
}

// Done lets another copy have the memory. Nothing that [Results.Bytes] has returned is used any more.
func (r *Results) Done() { spare.Put(r) }

// CopyAgain makes a copy of a program that has not grown since one as it is now.
func (r *Results) CopyAgain(p *Program) {
	copy(r.ops, p.mem)
	copy(r.data, p.mem[dataFrom:])
}

// Ran reports whether the call of the Op has returned.
func (r *Results) Ran(o Op) bool { return r.raw(o) != Unset }

// Value is the result of the Op: -errno if the call failed.
func (r *Results) Value(o Op) int64 { return int64(r.raw(o)) }

func (r *Results) raw(o Op) uint64 { return get64(r.ops, o.offset()+offRes) }

// Errno is the errno of the Op, or 0.
func (r *Results) Errno(o Op) syscall.Errno { return errno(r.raw(o)) }

func errno(v uint64) syscall.Errno {
	if v > ^uint64(4095) && v != Unset {
		return syscall.Errno(-v)
	}
	return 0
}

// Bytes are n bytes of data at a.
func (r *Results) Bytes(a Addr, n int) []byte {
	from := int(a) - Base - dataFrom
	if from < 0 || n < 0 || n > len(r.data)-from {
		return nil
	}
	return r.data[from : from+n : from+n]
}

// Filled are the bytes that the Op, a read into a, stored: as many as it returned.
func (r *Results) Filled(o Op, a Addr) []byte {
	if v := r.Value(o); r.Ran(o) && v > 0 {
		return r.Bytes(a, int(v))
	}
	return nil
}

// Word is the 64-bit word at a.
func (r *Results) Word(a Addr) uint64 {
	if b := r.Bytes(a, 8); b != nil {
		return get64(b, 0)
	}
	return 0
}

// Word32 is the 32-bit word at a.
func (r *Results) Word32(a Addr) uint32 {
	if b := r.Bytes(a, 4); b != nil {
		return get32(b, 0)
	}
	return 0
}

// Store replaces the result of the Op, for a test of the comparison. [Unset] is the result before the Op
// runs.
func (r *Results) Store(o Op, v uint64) { put64(r.ops, o.offset()+offRes, v) }

// met reports whether the result meets the demand.
func (r *Results) met(i int) bool {
	at := opAt(i)
	res := get64(r.ops, at+offRes)
	switch r.ops[at+offWant] {
	case wantOK:
		return res <= ^uint64(4095)
	case wantEq:
		v := get64(r.ops, at+offVal)
		if r.ops[at+offInd]&(1<<demanded) != 0 {
			v = r.cell(Addr(v))
		}
		return res == v
	}
	return true
}

// cell is the word at a, a result or data. A demand is compared with it again, so it must not change
// afterwards.
func (r *Results) cell(a Addr) uint64 {
	if at := uint64(a) - Base; at < dataFrom {
		if at+8 > uint64(len(r.ops)) {
			return Unset
		}
		return get64(r.ops, int(at))
	}
	return r.Word(a)
}

// A Failure is an Op that did not meet its demand.
type Failure struct {
	Op     Op
	Layer  string
	Call   string // the system call's name
	Object string
	Ran    bool
	Errno  syscall.Errno // 0: the call succeeded, or returned a value that was not the demanded one
	Got    int64
}

// FirstFailure is the first Op before end, of those without a label, that did not meet its demand; with all set also
// one that did not run. A Fork that did not run is passed over: its child may be far ahead of the parent, which alone
// stores the result.
func (p *Program) FirstFailure(r *Results, end int, all bool) (Failure, bool) {
	for i := 0; i < end; i++ {
		at := opAt(i)
		if r.ops[at+offKind] != kindCall || get64(r.ops, at+offAlt) != 0 {
			continue
		}
		res := get64(r.ops, at+offRes)
		ran := res != Unset
		if ran && r.met(i) || !ran && (!all || r.ops[at+offParent] != 0) {
			continue
		}
		m := &p.metas[i]
		call := seccomp.Name(get32(r.ops, at+offNr))
		return Failure{Op{p, i}, m.layer, call, m.object, ran, errno(res), int64(res)}, true
	}
	return Failure{}, false
}

// FirstOfKind reports whether no call of the kind of the Op at i succeeded before it. Calls of one number are
// of one kind, except mount(2): there each file system is a kind.
func (p *Program) FirstOfKind(r *Results, i int) bool {
	nr, fs := get32(r.ops, opAt(i)+offNr), fileSystem(p, i)
	for j := 0; j < i; j++ {
		at := opAt(j)
		if r.ops[at+offKind] != kindCall || get32(r.ops, at+offNr) != nr || fileSystem(p, j) != fs {
			continue
		}
		if res := get64(r.ops, at+offRes); res != Unset && errno(res) == 0 {
			return false
		}
	}
	return true
}

// fileSystem is the file system that a call mounts, or "".
func fileSystem(p *Program, i int) string {
	if get32(p.mem, opAt(i)+offNr) != mountCall {
		return ""
	}
	return p.data.cString(Addr(p.Arg(i, 2)))
}

// NotRun is the first Op before end that applies or reads back and did not run, although no branch leads
// around it.
func (p *Program) NotRun(r *Results, end int) (Failure, bool) {
	for i := 0; i < end; i++ {
		if m := &p.metas[i]; m.class != Control && !m.around && !r.Ran(Op{p, i}) {
			return Failure{Op: Op{p, i}, Layer: m.layer, Call: p.Called(i), Object: m.object}, true
		}
	}
	return Failure{}, false
}
