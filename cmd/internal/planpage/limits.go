package planpage

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Key is a limit's name in the policy.
type Key string

// A Limit is what a policy asks for, and how far that holds on this machine.
type Limit struct {
	Value string `json:"value"`
	Holds Holds  `json:"holds"`
	Why   string `json:"why,omitempty"` // where less holds than there could be
}

// Holds says for which processes a limit holds.
type Holds string

const (
	Together Holds = "together" // for all processes of the server together
	Each     Holds = "each"     // for each process by itself
	Nobody   Holds = "absent"
)

// A source is where a report says that a limit holds: the beginning of a fact's name.
type source struct {
	layer order.Layer
	fact  string
	holds Holds
}

// limited is one limit of a policy.
type limited struct {
	key     Key
	value   string
	is      bool
	sources []source
}

// asked are the limits of a policy, in the order of the page.
func asked(l *policy.Limits) []limited {
	_, memory := l.Memory.Value()
	_, pids := l.Pids.Value()
	_, cpu := l.CPU.Value()
	_, files := l.OpenFiles.Value()
	_, size := l.FileSize.Value()
	_, space := l.AddressSpace.Value()
	_, io := l.IO.Value()
	_, timeout := l.Timeout.Value()
	each := func(fact string) []source { return []source{{order.Limits, fact, Each}} }
	return []limited{
		{"memory", l.Memory.String(), memory, []source{{order.Cgroup, "memory.max", Together},
			{order.Limits, "memory", Together}, {order.Limits, "data", Each}}},
		{"pids", l.Pids.String(), pids, []source{{order.Cgroup, "pids.max", Together},
			{order.Limits, "processes", Together}}},
		{"cpu", l.CPU.String(), cpu, []source{{order.Cgroup, "cpu.max", Together},
			{order.Limits, "cpu rate", Together}}},
		{"openFiles", l.OpenFiles.String(), files, each("open files")},
		{"fileSize", l.FileSize.String(), size, each("file size")},
		{"addressSpace", l.AddressSpace.String(), space, each("address space")},
		{"io", l.IO.String(), io, []source{{order.Cgroup, "io.max", Together}}},
		{"timeout", l.Timeout.String(), timeout, nil}, // the launcher's own
	}
}

// limits are those that the policy asks for.
func limits(l *policy.Limits, proved *order.Enforced) map[Key]Limit {
	all := map[Key]Limit{}
	for _, a := range asked(l) {
		if a.is {
			all[a.key] = a.held(proved)
		}
	}
	return all
}

// held finds in a report how far a limit holds.
func (a *limited) held(proved *order.Enforced) Limit {
	l := Limit{Value: a.value, Holds: Nobody}
	if a.sources == nil {
		l.Holds = Together
		return l
	}
	for _, s := range a.sources {
		layer := proved.Layer(s.layer)
		f := layer.Fact(func(f *order.Fact) bool { return strings.HasPrefix(f.Name, s.fact) })
		switch {
		case f == nil:
			if l.Why == "" {
				l.Why = layer.Reason
			}
		case f.Got == "":
			l.Why = f.Reason
		default:
			if l.Holds = s.holds; s == a.sources[0] || s.holds == Together {
				l.Why = ""
			}
			return l
		}
	}
	return l
}
