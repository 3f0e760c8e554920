package confine

import (
	"math"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// A limit is a resource of setrlimit(2), with the soft and the hard limit that the server gets.
type limit struct {
	name      string
	resource  int
	value     uint64 // soft
	hard      uint64
	inherited bool // a lower hard limit of the launcher's, which wins
	got       program.Addr
	op        program.Op
}

// limits sets the resource limits of the server's process. init keeps the launcher's.
type limits struct{ list []limit }

func (r *limits) ops(b *build) {
	r.list = b.limits()
	for i := range r.list {
		l := &r.list[i]
		b.Do(sys.SetLimit(l.resource, l.value, l.hard)).For(l.name)
		l.got = b.Space(16)
		l.op = b.Ask(sys.GetLimit(l.resource, l.got)).For(l.name)
	}
}

// limits are the limits of the policy. A resource that the policy does not limit keeps the launcher's limits.
func (b *build) limits() []limit {
	p := &b.Policy.Limits
	list := []limit{b.coreLimit()}
	add := func(name string, resource int, n int64, limited bool) {
		if limited {
			hard := b.Machine.Hard[resource]
			v := min(uint64(n), hard)
			list = append(list, limit{name: name, resource: resource, value: v, hard: v, inherited: hard < uint64(n)})
		}
	}
	n, limited := p.Memory.Value()
	add("data", unix.RLIMIT_DATA, n, limited && !b.Group.Holds("memory.max"))
	n, limited = p.AddressSpace.Value()
	add("address space", unix.RLIMIT_AS, n, limited)
	n, limited = p.FileSize.Value()
	add("file size", unix.RLIMIT_FSIZE, n, limited)
	n, limited = p.OpenFiles.Value()
	add("open files", unix.RLIMIT_NOFILE, n, limited)
	n, limited = b.cpuSeconds()
	add("cpu time", unix.RLIMIT_CPU, n, limited)
	if last := &list[len(list)-1]; limited && last.hard < b.Machine.Hard[unix.RLIMIT_CPU] {
		last.hard++ // SIGXCPU first, and SIGKILL a second later
	}
	n, _ = p.Pids.Value()
	add("processes", unix.RLIMIT_NPROC, n+1, b.limitsProcesses()) // init counts too
	return list
}

func (r *limits) check(c *check) {
	for i := range r.list {
		l := &r.list[i]
		want := value(l.value, l.hard)
		got := value(c.Word(l.got), c.Word(l.got.Plus(8)))
		name := l.name
		if l.inherited {
			name += " (the launcher's own hard limit)"
		}
		c.fact(name, want, got)
	}
	c.coreDumps()
	if _, limited := c.Policy.Limits.Pids.Value(); limited && !c.limitsProcesses() && !c.Group.Holds("pids.max") {
		c.lacks("processes", "a limit", c.uncounted(), "the number of processes is not limited")
	}
}

// cpuSeconds is the processor time that one process may use in all.
func (r *Request) cpuSeconds() (int64, bool) { return r.Policy.Limits.CPUSeconds(r.Machine.CPUs) }

// value prints a soft limit, and the hard limit if it differs.
func value(soft, hard uint64) string {
	s := "unlimited"
	if soft != math.MaxUint64 {
		s = strconv.FormatUint(soft, 10)
	}
	if hard != soft {
		s += " of " + value(hard, hard)
	}
	return s
}

// limitsProcesses reports whether RLIMIT_NPROC enforces limits.pids.
func (r *Request) limitsProcesses() bool {
	_, limited := r.Policy.Limits.Pids.Value()
	return limited && !r.Group.Holds("pids.max") && r.uncounted() == ""
}

// uncounted is the reason for which RLIMIT_NPROC does not count the processes of this sandbox alone. It does
// since Linux 5.14, in a new user namespace, for any user but kuid 0. Rows processLimit and thirdProcess try
// it.
func (r *Request) uncounted() string {
	if r.Machine.Shared {
		return "without a user namespace RLIMIT_NPROC counts all processes of the user"
	}
	if r.Machine.MachinesRoot {
		return "RLIMIT_NPROC does not hold for user 0 of the machine"
	}
	if !r.Machine.CountsProcesses {
		return "before Linux 5.14 RLIMIT_NPROC counts all processes of the user"
	}
	return ""
}

// thirdProcess proves that RLIMIT_NPROC counts init, the server and no other process: with a limit of two,
// the server's process was cloned, and a third clone fails.
type thirdProcess struct{ third program.Op }

// processLimit sets that limit of two, in init before the clone of the server's process.
type processLimit struct{ noFacts }

func (r *processLimit) ops(b *build) {
	if b.limitsProcesses() {
		b.Do(sys.SetLimit(unix.RLIMIT_NPROC, 2, b.Machine.Hard[unix.RLIMIT_NPROC])).For("processes")
	}
}

func (r *thirdProcess) ops(b *build) {
	if !b.limitsProcesses() {
		return
	}
	r.third = b.Ask(sys.Clone(int(unix.SIGCHLD))).Returns(program.Errno(unix.EAGAIN))
}

func (r *thirdProcess) check(c *check) {
	if c.limitsProcesses() {
		c.fact("a third process with a limit of two", "EAGAIN", c.result(r.third))
	}
}
