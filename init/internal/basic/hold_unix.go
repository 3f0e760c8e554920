//go:build darwin || linux

package basic

import (
	"runtime"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A Hold is what the server's process is held by: limits that it sets itself before it executes the server.
type Hold struct{ Limits []Limit }

// A Limit is one resource of setrlimit(2).
type Limit struct {
	Name     string
	Resource int
	Value    uint64 // soft and hard
	More     uint64 // by so much the hard limit is larger
	Try      bool   // memory: that the kernel holds it is tried
}

// under is what a limit becomes below an inherited hard limit, and what its fact is called.
func (l *Limit) under(hard uint64) (name string, want syscall.Rlimit) {
	name = l.Name
	if hard < l.Value {
		name += " (the launcher's own hard limit)"
	}
	return name, syscall.Rlimit{Cur: min(l.Value, hard), Max: min(l.Value+l.More, hard)}
}

// newHold is what follows from the policy. What is unlimited there is left as the launcher had it.
func newHold(p *plan) (*Hold, error) {
	h := &Hold{Limits: []Limit{{Name: "core", Resource: unix.RLIMIT_CORE}}}
	add := func(name string, resource int, n int64, limited bool) *Limit {
		if !limited {
			return &Limit{}
		}
		h.Limits = append(h.Limits, Limit{Name: name, Resource: resource, Value: uint64(n)})
		return &h.Limits[len(h.Limits)-1]
	}
	l := &p.limits
	n, limited := l.FileSize.Value()
	add("file size", unix.RLIMIT_FSIZE, n, limited)
	count, limited := l.OpenFiles.Value()
	add("open files", unix.RLIMIT_NOFILE, int64(count), limited)
	n, limited = l.CPUSeconds(runtime.NumCPU())
	add("cpu time", unix.RLIMIT_CPU, n, limited).More = 1 // SIGXCPU first, and SIGKILL a second later
	if count, limited = l.Pids.Value(); limited && p.pids {
		if own, err := processesOf(p.user.uid); err == nil {
			add("processes", unix.RLIMIT_NPROC, int64(own)+int64(count), true)
		}
	}
	n, limited = l.Memory.Value()
	add("data", unix.RLIMIT_DATA, n, limited).Try = true
	n, limited = l.AddressSpace.Value() // last: what the helper itself needs counts too
	add("address space", unix.RLIMIT_AS, n, limited).Try = true
	return h, nil
}

// absent are the limits of a policy that this system does not have.
func absent(p *plan) (facts []order.Fact) {
	if milli, limited := p.limits.CPU.Value(); limited {
		facts = append(facts, order.Fact{Name: "cpu rate", Want: strconv.FormatInt(milli, 10) + "m", Reason: "there are no control groups",
			Effect: "the rate of processor time is not limited"})
	}
	if n, limited := p.limits.Pids.Value(); limited {
		why := "RLIMIT_NPROC counts every process of the user: limits.pids has to be written out"
		if p.pids {
			if _, err := processesOf(p.user.uid); err == nil {
				return facts
			} else {
				why = "the user's processes cannot be counted: " + err.Error()
			}
		}
		facts = append(facts, order.Fact{Name: "processes", Want: strconv.FormatInt(int64(n), 10), Reason: why, Effect: "the number of processes is not limited"})
	}
	return facts
}
