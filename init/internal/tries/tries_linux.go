package tries

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// A try is one call, made by a program of the runner.
type try struct {
	name string
	op   program.Op
}

// kinds are the namespaces, each with a user namespace around it: what an ordinary user may ask for.
func kinds() []struct {
	name string
	flag int
} {
	return []struct {
		name string
		flag int
	}{
		{order.TryUser, 0}, {order.TryMount, unix.CLONE_NEWNS}, {order.TryPID, unix.CLONE_NEWPID}, {order.TryIPC, unix.CLONE_NEWIPC},
		{order.TryUTS, unix.CLONE_NEWUTS}, {order.TryCgroup, unix.CLONE_NEWCGROUP}, {order.TryNet, unix.CLONE_NEWNET},
	}
}

// seccomp(2), and a filter that allows everything: BPF_RET|BPF_K with SECCOMP_RET_ALLOW, as struct sock_filter.
const (
	setModeFilter = 1
	newListener   = 1 << 3
	allow         = 0x7fff0000<<32 | 0x06
)

// lay lays the calls out. Nobody is harmed by what succeeds: the processes end at once.
func lay(p *program.Program) (all []try) {
	zero := program.Int(0)
	for _, k := range kinds() {
		next := new(program.Label)
		op := p.StepExactly(zero, unix.SYS_CLONE, program.Int(unix.CLONE_NEWUSER|k.flag|int(unix.SIGCHLD)), zero, zero, zero, zero).Fork().Else(next)
		p.Any(unix.SYS_EXIT_GROUP, zero)
		p.Here(next)
		p.Any(unix.SYS_WAIT4, program.Int(-1), zero, zero, zero)
		all = append(all, try{k.name, op})
	}
	all = append(all, try{order.TryLandlock, p.See(unix.SYS_LANDLOCK_CREATE_RULESET, zero, zero, program.Int(unix.LANDLOCK_CREATE_RULESET_VERSION))})
	p.See(unix.SYS_PRCTL, program.Int(unix.PR_SET_NO_NEW_PRIVS), program.Int(1), zero, zero, zero)
	one := p.Data(program.Raw(allow))
	prog := program.Ref(p.Data(program.Raw(1, uint64(one)))) // struct sock_fprog
	// The listener comes before the filter that follows it only because a process may have one listener, and many filters.
	all = append(all,
		try{order.TryListener, p.See(unix.SYS_SECCOMP, program.Int(setModeFilter), program.Int(newListener), prog)},
		try{order.TryFilter, p.See(unix.SYS_SECCOMP, program.Int(setModeFilter), zero, prog)})
	p.Any(unix.SYS_EXIT_GROUP, zero)
	return all
}

// Run makes the calls. The thread must be locked, as for program.Start.
func Run() (*order.Tried, error) {
	fd, mem, err := program.Open()
	if err != nil {
		return nil, err
	}
	defer unix.Munmap(mem)
	defer unix.Close(fd)
	p := program.New(mem)
	all := lay(p)
	pid, err := program.Start([]int{-1, -1, -1, fd}, nil, -1)
	if err != nil {
		return nil, err
	}
	for {
		if _, err = unix.Wait4(pid, nil, 0, nil); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	r, t := p.Copy(), &order.Tried{Event: "tried"}
	for _, a := range all {
		c := order.Call{Name: a.name}
		switch e := r.Errno(a.op); {
		case !r.Ran(a.op):
			continue // nothing is known of it
		case e != 0:
			c.Error = platform.ErrnoName(e)
		}
		t.Calls = append(t.Calls, c)
	}
	return t, nil
}
