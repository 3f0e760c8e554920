//go:build darwin || linux

package limitsonly

import (
	"runtime"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// limits are the rlimits that the server's process sets for itself before execve.
type limits []limit

// A limit is one resource of setrlimit(2).
type limit struct {
	name     string
	resource int
	value    uint64 // soft and hard
	ahead    uint64 // how much larger the hard limit is than value
	tried    bool   // memory: an allocation above the limit must be refused
}

// clampTo is a limit's value below an inherited hard limit, and the name of its fact.
func (l *limit) clampTo(hard uint64) (name string, want syscall.Rlimit) {
	name = l.name
	if hard < l.value {
		name += " (the launcher's own hard limit)"
	}
	return name, syscall.Rlimit{Cur: min(l.value, hard), Max: min(l.value+l.ahead, hard)}
}

// newLimits are the limits of a policy. A resource that is unlimited there stays as the launcher has it.
func newLimits(p *plan) *limits {
	all := limits{{name: "core", resource: unix.RLIMIT_CORE}}
	add := func(l limit, n int64, limited bool) {
		if l.value = uint64(n); limited {
			all = append(all, l)
		}
	}
	l := &p.policy.Limits
	n, limited := l.FileSize.Value()
	add(limit{name: "file size", resource: unix.RLIMIT_FSIZE}, n, limited)
	count, limited := l.OpenFiles.Value()
	add(limit{name: "open files", resource: unix.RLIMIT_NOFILE}, int64(count), limited)
	n, limited = l.CPUSeconds(runtime.NumCPU())
	// SIGXCPU comes at the soft limit, and SIGKILL a second later.
	add(limit{name: "cpu time", resource: unix.RLIMIT_CPU, ahead: 1}, n, limited)
	if count, limited = l.Pids.Value(); limited && p.PidsWritten {
		own, err := userProcesses(p.user.uid)
		add(limit{name: "processes", resource: unix.RLIMIT_NPROC}, int64(own)+int64(count), err == nil)
	}
	n, limited = l.Memory.Value()
	add(limit{name: "data", resource: unix.RLIMIT_DATA, tried: true}, n, limited)
	n, limited = l.AddressSpace.Value() // last: it also limits the helper
	add(limit{name: "address space", resource: unix.RLIMIT_AS, tried: true}, n, limited)
	return &all
}

// absentLimits are the facts of a policy's limits that this system does not have.
func absentLimits(p *plan) (facts []order.Fact) {
	if milli, limited := p.policy.Limits.CPU.Value(); limited {
		facts = append(facts, order.Fact{Name: "cpu rate", Want: strconv.FormatInt(milli, 10) + "m",
			Reason: "there are no control groups", Effect: "the rate of processor time is not limited"})
	}
	n, limited := p.policy.Limits.Pids.Value()
	if !limited {
		return facts
	}
	reason := "RLIMIT_NPROC counts every process of the user: limits.pids has to be written out"
	if p.PidsWritten {
		_, err := userProcesses(p.user.uid)
		if err == nil {
			return facts
		}
		reason = "the user's processes cannot be counted: " + err.Error()
	}
	return append(facts, order.Fact{Name: "processes", Want: strconv.FormatInt(int64(n), 10), Reason: reason,
		Effect: "the number of processes is not limited"})
}
