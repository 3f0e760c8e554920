package trialcalls

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A try is one call of a program.
type try struct {
	name string
	op   program.Op
	end  program.Addr // how its process ended
}

// kinds are the namespaces that an unprivileged user may create, each with a user namespace.
func kinds() []struct {
	name string
	flag int
} {
	return []struct {
		name string
		flag int
	}{
		{order.TryUser, 0}, {order.TryMount, unix.CLONE_NEWNS}, {order.TryPID, unix.CLONE_NEWPID},
		{order.TryIPC, unix.CLONE_NEWIPC}, {order.TryUTS, unix.CLONE_NEWUTS},
		{order.TryCgroup, unix.CLONE_NEWCGROUP}, {order.TryNet, unix.CLONE_NEWNET},
	}
}

// seccomp(2), and a filter that allows every call: BPF_RET|BPF_K with SECCOMP_RET_ALLOW, as struct
// sock_filter.
const (
	setModeFilter = 1
	newListener   = 1 << 3
	allow         = 0x7fff0000<<32 | 0x06
)

// layout lays each call out in a process of its own: an outer filter may kill the process that makes the call.
func layout(p *program.Builder) (all []try) {
	zero := program.Int(0)
	p.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	apart := func(name string, call func() program.Op) {
		t := try{name: name}
		t.end = inChild(p, func() { t.op = call() })
		all = append(all, t)
	}
	for _, k := range kinds() {
		apart(k.name, func() program.Op {
			made := new(program.Label)
			op := p.Step(sys.Clone(unix.CLONE_NEWUSER | k.flag | int(unix.SIGCHLD))).Returns(zero).Fork().Else(made)
			p.Call(sys.ExitGroup(0))
			p.Bind(made)
			p.Call(sys.Wait4(-1, 0, 0))
			return op
		})
	}
	apart(order.TryLandlock, func() program.Op {
		return p.Observe(sys.LandlockCreateRuleset(zero, 0, unix.LANDLOCK_CREATE_RULESET_VERSION))
	})
	p.Observe(sys.Prctl(unix.PR_SET_NO_NEW_PRIVS, program.Int(1)))
	one := p.Data(program.Raw(allow))
	prog := program.Ref(p.Data(program.Raw(1, uint64(one)))) // struct sock_fprog
	apart(order.TryListener, func() program.Op {
		return p.Observe(sys.Seccomp(setModeFilter, newListener, prog))
	})
	apart(order.TryFilter, func() program.Op { return p.Observe(sys.Seccomp(setModeFilter, 0, prog)) })
	return all
}

// Run makes the calls. The thread must be locked, as for program.Start.
func Run() (*order.Tried, error) {
	var all []try
	r, _, err := execute(func(p *program.Builder) { all = layout(p) })
	if err != nil {
		return nil, err
	}
	t := &order.Tried{Event: "tried"}
	for _, a := range all {
		c := order.Call{Name: a.name}
		switch e := r.Errno(a.op); {
		case !r.Ran(a.op) && unix.WaitStatus(r.Word32(a.end)).Signal() == unix.SIGSYS:
			c.Error = "SIGSYS"
		case !r.Ran(a.op):
			continue // unknown
		case e != 0:
			c.Error = platform.ErrnoName(e)
		}
		t.Calls = append(t.Calls, c)
	}
	return t, nil
}
