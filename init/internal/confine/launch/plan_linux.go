package launch

import (
	"cmp"
	"errors"
	"os"
	"runtime"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/ladder"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// foresee plans the first attempt of Start: of the strongest confinement, of the one that the order begins with, or of
// none in level privileged. Only a launch finds out the machine's refusals. No process is started, and a root launcher
// opens no grant.
func (l *Launch) foresee() (*Attempt, error) {
	a := l.newAttempt()
	for _, step := range [...]func(*Launch) error{(*Launch).checkOwn, (*Launch).foreseeState, l.installs.foresee} {
		if err := step(l); err != nil {
			return nil, err
		}
	}
	if a.Shared() {
		if err := identifyShared(&a.Machine, a.Confinement); err != nil {
			return nil, err
		}
		if a.Confinement != policy.None {
			a.kept.private.Path = foreseenPrivate
		}
	}
	return a, lookAndPlan(a, cgroup.Foresee)
}

// foreseenPrivate stands for the folder that a launch makes where the sandbox has no tmpfs of its own.
const foreseenPrivate = "/tmp/mcp-sandbox-NAME"

// Calls is the first program that Start would give to the runner, one line a call. The program is laid out in memory
// that nothing executes.
func (l *Launch) Calls() ([]string, error) {
	a, err := l.foresee()
	if err != nil {
		return nil, err
	}
	a.Program = layers.NewLayout(make([]byte, program.Size), &l.Policy, a.Confinement, false)
	if !a.Shared() && !a.Machine.Root {
		a.Program.Begin(requestOf(&a.Sandbox))
	}
	if err := a.complete(); err != nil {
		return nil, err
	}
	lines := make([]string, a.Program.Len())
	for i := range lines {
		lines[i] = a.Program.Line(i, nil)
	}
	return lines, nil
}

func lookAndPlan(a *Attempt, group func(*cgroup.Request) *cgroup.Group) error {
	if err := lookAround(a); err != nil {
		return err
	}
	return a.plan(group)
}

// lookAround finds out the facts of this machine.
func lookAround(a *Attempt) error {
	if err := look(&a.Machine, a.Confinement); err != nil {
		return &order.Refusal{Layer: order.Namespaces, Op: diagnose.OpLook, Err: err}
	}
	if hook := a.launch.Hooks.Machine; hook != nil {
		hook(&a.Machine)
	}
	return nil
}

// plan plans the server's view and control group.
func (a *Attempt) plan(group func(*cgroup.Request) *cgroup.Group) (err error) {
	l := a.launch
	if a.Confinement == policy.Reduced && a.Machine.LandlockABI < leastLandlock {
		return &order.Refusal{Layer: order.Landlock, Op: "landlock_create_ruleset",
			Err: mechanism(cmp.Or(a.Machine.NoLandlock, unix.ENOSYS))}
	}
	if key, entry := unheldDomains(l); key != "" && !l.Order.MinWritten {
		return l.Ladder.CannotHold(key, entry, l.noPairs)
	}
	if entry := unheldPublish(l); entry != "" && !l.Order.MinWritten {
		return l.Ladder.CannotHold(ladder.Publish, entry, nil)
	}
	files, err := fsview.Explain(viewRequest(&a.Sandbox))
	if err != nil {
		return refusedView(err)
	}
	if a.View = files.View; l.Order.Guided {
		a.kept.files = files
	}
	if len(a.View.Unheld) > 0 && !l.Order.MinWritten {
		u := a.View.Unheld[0]
		return l.Ladder.CannotHold(u.Key, u.Path, nil)
	}
	if len(a.View.Allowed) > 0 {
		hostNet := l.Policy.Level == policy.LevelNetwork
		if why := layers.WhyNoUnix(a.View, a.Machine.LandlockABI, hostNet); why != "" {
			return &order.Refusal{Layer: order.Policy, Op: "network.allowUnixSockets", Path: a.View.Allowed[0].Path,
				Err: errors.New(why)}
		}
	}
	if !l.Group.Made() { // or an earlier attempt has made it
		l.Group = group(groupRequest(&a.Sandbox, a.processes))
	}
	return nil
}

// leastLandlock is the first version: with the filter's additions, each is a file barrier.
const leastLandlock = 1

// mechanism marks an error that no path of the policy can be the cause of.
func mechanism(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return order.Mechanism{Errno: errno}
	}
	return err
}

func viewRequest(s *Sandbox) fsview.Request {
	o, p := s.launch.Order, &s.launch.Policy
	r := fsview.Request{Policy: *p, Command: o.Command, Env: o.Env, Dir: o.Dir, Leads: o.Leads,
		Ours:       s.launch.ours(),
		Identity:   fsview.Identity{UID: s.Machine.UID, GID: s.Machine.GID, Root: s.Machine.Root},
		Neighbours: neighbours(&s.Machine),
		HostNet:    p.Level == policy.LevelNetwork,
		Sharing: fsview.Sharing{Shared: s.Shared(), Private: s.kept.private.Path,
			Open: s.Shared() && s.Confinement != policy.Reduced}}
	if hook := s.launch.Hooks.View; hook != nil {
		hook(&r)
	}
	return r
}

// neighbours says where other programs of this user keep their sockets, and how to find out which are bound. The homes
// are the launcher's and those that belong to the ids: HOME of the policy says nothing of where an agent listens.
func neighbours(m *layers.Machine) fsview.Neighbours {
	n := fsview.Neighbours{
		Homes:   []string{os.Getenv("HOME")},
		Crowded: []string{"/tmp", "/var/tmp", "/run", "/var/run", os.Getenv("XDG_RUNTIME_DIR")},
	}
	// Users that are in no file, but in a directory service, have HOME alone.
	if b, err := platform.ReadSmall("/etc/passwd", 4<<20); err == nil {
		n.Homes = append(n.Homes, platform.HomesOf(string(b), unix.Getuid(), m.UID)...)
	}
	if !layers.RestrictsSockets(m.LandlockABI) {
		n.Bound = platform.BoundSockets
	}
	return n
}

// makePrivate makes the folder that stands for /tmp and the home where there is no tmpfs of the sandbox's own.
func makePrivate(m *layers.Machine, c policy.Confinement) (dir privdir.Dir, err error) {
	if c == policy.None {
		return dir, nil
	}
	dir, err = privdir.Make(privdir.Request{Folders: []string{fsview.PrivateHome, fsview.PrivateTmp},
		File: layers.CanaryFile, UID: m.UID, GID: m.GID, Chown: m.Root, Swappable: c == policy.Reduced})
	if none := (*privdir.NoBase)(nil); errors.As(err, &none) {
		err = &order.Refusal{Layer: order.Root, Op: diagnose.OpPrivate, Path: none.Bases, Err: err}
	}
	return dir, err
}

// complete writes the rest of the program.
func (s *Sandbox) complete() error {
	filter, asking, err := assemble(s)
	if errors.As(err, new(*order.Refusal)) {
		return err
	}
	if err != nil {
		return &order.Refusal{Layer: order.Seccomp, Op: "assemble", Err: err}
	}
	req := requestOf(s)
	req.View, req.Group, req.Env, req.Filter, req.Asking = s.View, s.launch.Group, environ(s), filter, asking
	if err = s.Program.Complete(req); err != nil {
		return crowded(&s.launch.Policy, err)
	}
	return nil
}

// requestOf is the request as far as it is known before the plan.
func requestOf(s *Sandbox) *layers.Request {
	l := s.launch
	return &layers.Request{Policy: l.Policy, Machine: s.Machine, Lost: l.Ladder.Why(), Reaper: l.Reaper,
		HostGrace: l.Host.Grace, Stdio: l.Stdio.Standards, TTY: l.Stdio.TTY, Filters: layers.Filters{Pairs: pairs(l)}}
}

// assemble makes the seccomp program that the policy and this machine ask for, and the one that asks a listener, if the
// policy leaves the calls to hand that over.
func assemble(s *Sandbox) (plain, asking []byte, err error) {
	p, o := &s.launch.Policy, filterOptions(s)
	if i, why := seccomp.Unknown(p.Seccomp.Deny); i >= 0 {
		return nil, nil, &order.Refusal{Layer: order.Policy, Op: "seccomp.deny", Err: errors.New(why)}
	}
	for _, name := range p.Seccomp.Deny {
		nr, _ := seccomp.Number(name)
		o.Deny = append(o.Deny, nr)
	}
	if plain, err = assembled(o); err != nil || !o.CanNotify(runtime.GOARCH) {
		return plain, nil, err
	}
	o.Notify, o.Egress = true, pairs(s.launch)
	if err := o.CanServe(runtime.GOARCH); o.Egress && err != nil {
		return nil, nil, &order.Refusal{Layer: order.Seccomp, Op: "seccomp.deny", Err: err}
	}
	asking, err = assembled(o)
	return plain, asking, err
}

// filterOptions are the filter's options besides the names in seccomp.deny.
func filterOptions(s *Sandbox) seccomp.Options {
	p, abi := &s.launch.Policy, s.Machine.LandlockABI
	hostNet := p.Level == policy.LevelNetwork
	o := seccomp.Options{NoUnix: layers.RefusesUnix(s.View, abi, hostNet)}
	if s.Shared() {
		o = seccomp.Options{NoUnix: !layers.RestrictsSockets(abi), NoInet: !hostNet, NoNetlink: true, NoIPC: true,
			NoPeers: true, NoCut: layers.NoCut(s.Confinement, abi)}
		if layers.Guarded(s.Confinement, abi) {
			o.Guarded = [2]uint32{uint32(s.Init.PID), uint32(unix.Getpid())}
		}
	}
	o.OneExec = p.Subprocess.Allow == policy.No
	return o
}

func assembled(o seccomp.Options) ([]byte, error) {
	code, err := seccomp.Program(runtime.GOARCH, o)
	if err != nil {
		return nil, err
	}
	return seccomp.Append(make([]byte, 0, 8*len(code)), code), nil
}
