package layers

import (
	"math"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A limit is a resource of setrlimit(2), with the soft and the hard limit that the server gets.
type limit struct {
	name      string
	resource  int
	value     uint64 // soft
	hard      uint64
	inherited bool // a lower hard limit of the launcher's, which wins
}

// limits sets the resource limits of the server's process. init keeps the launcher's.
func limits(b *build) {
	for _, l := range limitsOf(b.Request) {
		b.Do(sys.SetLimit(l.resource, l.value, l.hard)).For(l.name)
		got := b.Space(16)
		b.Ask(sys.GetLimit(l.resource, got)).For(l.name)
		name := l.name
		if l.inherited {
			name += " (the launcher's own hard limit)"
		}
		b.prove(func(c *check) {
			c.fact(name, value(l.value, l.hard), value(c.Word(got), c.Word(got.Plus(8))))
		})
	}
	b.prove(func(c *check) {
		coreDumps(c, &b.Machine)
		if _, limited := b.Policy.Limits.Pids.Value(); limited && !b.limitsProcesses() && !b.Group.Holds("pids.max") {
			c.lacks("processes", "a limit", b.uncounted(), "the number of processes is not limited")
		}
	})
}

// limitsOf are the limits of the policy, and no right to a higher priority. A resource that the policy does not limit
// keeps the launcher's limits.
func limitsOf(r *Request) []limit {
	p := &r.Policy.Limits
	list := []limit{coreLimit(r.Machine.Hard[unix.RLIMIT_CORE])}
	add := func(name string, resource int, n int64, limited bool) {
		if limited {
			hard := r.Machine.Hard[resource]
			v := min(uint64(n), hard)
			list = append(list, limit{name: name, resource: resource, value: v, hard: v, inherited: hard < uint64(n)})
		}
	}
	n, limited := p.Memory.Value()
	add("data", unix.RLIMIT_DATA, n, limited && !r.Group.Holds("memory.max"))
	n, limited = p.AddressSpace.Value()
	add("address space", unix.RLIMIT_AS, n, limited)
	n, limited = p.FileSize.Value()
	add("file size", unix.RLIMIT_FSIZE, n, limited)
	n, limited = p.OpenFiles.Value()
	add("open files", unix.RLIMIT_NOFILE, n, limited)
	n, limited = r.cpuSeconds()
	add("cpu time", unix.RLIMIT_CPU, n, limited)
	if last := &list[len(list)-1]; limited && last.hard < r.Machine.Hard[unix.RLIMIT_CPU] {
		last.hard++ // SIGXCPU first, and SIGKILL a second later
	}
	n, _ = p.Pids.Value()
	add("processes", unix.RLIMIT_NPROC, n+1, r.limitsProcesses()) // init counts too
	// With one of these a server would come before other programs, and a group's cpu.max holds no real-time process.
	confined := r.Policy.Level != policy.Privileged
	add("real-time priority", unix.RLIMIT_RTPRIO, 0, confined && r.Machine.Hard[unix.RLIMIT_RTPRIO] > 0)
	add("nice", unix.RLIMIT_NICE, 0, confined && r.Machine.Hard[unix.RLIMIT_NICE] > 0)
	// These count for the user's other programs too, and like processes for this sandbox alone besides.
	confined = confined && !r.Machine.Shared && r.Machine.CountsProcesses
	add("pending signals", unix.RLIMIT_SIGPENDING, 1024, confined && r.Machine.Hard[unix.RLIMIT_SIGPENDING] > 1024)
	const queues = 400 << 10
	add("message queues", unix.RLIMIT_MSGQUEUE, queues, confined && r.Machine.Hard[unix.RLIMIT_MSGQUEUE] > queues)
	return list
}

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

// uncounted is the reason why RLIMIT_NPROC does not count this sandbox's processes alone. Linux counts so
// since 5.14, in a new user namespace, for any user but kuid 0. Rows processLimit and thirdProcess try the
// limit.
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

// processLimit sets a limit of two processes in init, before the clone of the server's process.
func processLimit(b *build) {
	if b.limitsProcesses() {
		b.Do(sys.SetLimit(unix.RLIMIT_NPROC, 2, b.Machine.Hard[unix.RLIMIT_NPROC])).For("processes")
	}
}

// thirdProcess proves that RLIMIT_NPROC counts init, the server and no other process: with a limit of two,
// the server's process was cloned, and a third clone fails.
func thirdProcess(b *build) {
	if b.limitsProcesses() {
		third := b.Ask(sys.Clone(int(unix.SIGCHLD))).Returns(program.Errno(unix.EAGAIN))
		b.fact("a third process with a limit of two", "EAGAIN", third)
	}
}

// coreLimit prevents core dumps. Limit 0 prevents files only: the kernel would still start the program of
// kernel.core_pattern ("|program"), as the host's root, with the server's memory on its standard input. For
// such a pattern the kernel regards only the limit 1, which keeps these programs from dumping themselves
// (core(5), do_coredump). With limit 1 there is no file either: a file takes a page. The filter refuses the
// server a change to 0.
func coreLimit(hard uint64) limit {
	return limit{name: "core", resource: unix.RLIMIT_CORE, value: min(1, hard), hard: min(1, hard), inherited: hard < 1}
}

// coreDumps adds the core dumps that no limit prevents.
func coreDumps(c *check, m *Machine) {
	const want, effect = "none", "a crash of the server has the host's kernel.core_pattern get what its memory holds"
	switch p := m.CorePattern; {
	case p == '@': // Linux 6.16
		c.lacks("core dumps to a socket", want,
			"kernel.core_pattern is a socket, for which the kernel looks at no limit", effect)
	case p == '|' && m.Hard[unix.RLIMIT_CORE] == 0:
		c.lacks("core dumps to a program", want,
			"the launcher's own hard limit is 0, and kernel.core_pattern is a program, which only 1 stops", effect)
	}
}
