package supervise

import (
	"errors"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Exit codes of the launcher itself; the server's own are passed on.
const (
	ExitTimeout = 124
	ExitSandbox = 125
	ExitCannot  = 126
	ExitMissing = 127
	exitSignal  = 128 // plus the signal's number
)

// A Config is one launch.
type Config struct {
	Order  *order.Order
	Host   int          // the socket to the host, or -1; the report goes there too
	Parent int          // a pidfd of the process whose end is the host's end, or -1
	Say    func(string) // one line for standard error

	// Alter, for tests, changes the finished program before it runs.
	Alter func(*rows.Launch)
}

// A shim is one launch under way.
type shim struct {
	Config
	policy  policy.Policy
	view    *view.View
	machine rows.Machine
	launch  *rows.Launch
	sink    sink
	signals *inbox

	began    time.Time
	program  int // the program's memory
	lifeline int // init lives as long as this is open; a byte is a signal
	up       int
	release  int
	init     int // pid
	initFD   int // pidfd
	server   int // pid, in the shim's namespace
}

// Run starts the server of an order and returns the launcher's exit code when all of it has ended.
func Run(c Config) int {
	s := &shim{Config: c, began: time.Now(), lifeline: -1, init: -1, initFD: -1}
	s.sink = sink{report: c.Order.ReportFD, host: c.Host}
	s.signals = listen()
	if err := s.prepare(); err != nil {
		return s.refuse(err)
	}
	if err := s.start(); err != nil {
		s.abandon()
		return s.refuse(err)
	}
	enforced, err := s.prove()
	if err == nil {
		err = s.sink.first(enforced)
	}
	if err == nil {
		err = s.letGo()
	}
	if err != nil {
		s.abandon()
		return s.refuse(err)
	}
	s.warn(enforced)
	return s.finish(s.watch())
}

// prepare plans the launch. Nothing is started yet.
func (s *shim) prepare() error {
	var err error
	o := s.Order
	if s.policy, err = policy.Parse(o.Policy); err != nil {
		return &rows.Refusal{Layer: order.Policy, Op: "parse", Err: err}
	}
	if err = checkStdio(); err != nil {
		return err
	}
	if s.machine, err = look(&s.policy); err != nil {
		return &rows.Refusal{Layer: order.Namespaces, Op: "look at the machine", Err: err}
	}
	if s.view, err = view.Plan(s.viewRequest()); err != nil {
		return refusedView(err)
	}
	return nil
}

func (s *shim) viewRequest() view.Request {
	o := s.Order
	return view.Request{Policy: s.policy, Command: o.Command, Env: o.Env, Dir: o.Dir, PolicyFile: o.PolicyFile,
		ReportFile: o.ReportFile, Launcher: o.Launcher, UID: s.machine.UID, GID: s.machine.GID, Root: s.machine.Root,
		HostNet: s.policy.Level == policy.Network}
}

// refusedView keeps a command that is missing or not executable apart from a path that is wrong.
func refusedView(err error) error {
	layer := order.Policy
	if errors.Is(err, view.ErrNotFound) || errors.Is(err, view.ErrNotExecutable) {
		layer = order.Exec
	}
	var r *rows.Refusal
	if errors.As(err, &r) {
		return r
	}
	return &rows.Refusal{Layer: layer, Op: "plan", Err: err}
}

// start lays the launch out and starts it.
func (s *shim) start() error {
	trees, err := s.openTrees()
	if err != nil {
		return err
	}
	defer closeAll(trees)
	var mem []byte
	if s.program, mem, err = program.Open(); err != nil {
		return &rows.Refusal{Layer: order.Exec, Op: "program", Err: err}
	}
	filter, err := assemble(&s.policy)
	if err != nil {
		return &rows.Refusal{Layer: order.Seccomp, Op: "assemble", Err: err}
	}
	req := &rows.Request{Policy: s.policy, View: s.view, Machine: s.machine, Env: s.env(), Filter: filter}
	if s.launch, err = rows.Lay(mem, req); err != nil {
		return &rows.Refusal{Layer: order.Policy, Op: "lay out", Err: err}
	}
	if s.Alter != nil {
		s.Alter(s.launch)
	}
	return s.startRunner(trees)
}

// env is the server's environment, with the home that it really has.
func (s *shim) env() []string {
	env := make([]string, 0, len(s.Order.Env)+1)
	for _, v := range s.Order.Env {
		if !strings.HasPrefix(v, "HOME=") {
			env = append(env, v)
		}
	}
	return append(env, "HOME="+s.view.Home)
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
