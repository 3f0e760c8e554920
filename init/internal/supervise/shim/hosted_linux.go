package shim

import (
	"cmp"
	"errors"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A Hosted is a launch that its host supervises, in one goroutine, for which no thread waits. The process that the host
// starts is a [launch.Parent]: a few calls that link nothing of the host's. Where the launch needs a shim, that process
// becomes one.
type Hosted struct {
	HostedConfig
	Files []*os.File // the first ExtraFiles of the process
	Own   []*os.File // those of them that the caller closes when the process has them

	parent *launch.Parent
	closed atomic.Bool
	waiter atomic.Pointer[loop.Waiter]

	lines chan *[]byte
	shim  atomic.Pointer[os.File] // set before lines is closed

	process int         // a pidfd of the shim; -1: not known
	made    func()      // the sandbox is made, or refused
	taken   atomic.Bool // by Begin, or by Close
}

// A HostedConfig is one launch.
type HostedConfig struct {
	Order  *order.Order
	Policy *policy.Policy                // the order's
	Say    func(stderr int, line string) // writes a line to the server's standard error
	// Program becomes a shim, with the words of Shim, which learns why; "" is this program. An error refuses the
	// launch.
	Program string
	Shim    func(why error) (argv, env []string, err error)

	Give  func(line []byte) // for tests, takes the records; nil: Next does
	Hooks launch.Hooks      // for tests
}

// mostLines is more than the records of a launch: two, and those of package tally between.
const mostLines = 264

// Host makes a launch for this process to supervise; nil where that needs a shim, as far as is known before the start.
func Host(c HostedConfig) (*Hosted, error) {
	if !hostable(c.Order, c.Policy) {
		return nil, nil
	}
	every, err := shared.Get(makeShared)
	if err != nil {
		return nil, err
	}
	h := &Hosted{HostedConfig: c, lines: make(chan *[]byte, mostLines)}
	var files launch.Files
	if h.parent, files, err = launch.NewParent(c.Policy); err != nil {
		return nil, err
	}
	program, ready := os.NewFile(uintptr(files.Program), "program"), os.NewFile(uintptr(files.Ready), "ready")
	h.Own = []*os.File{program, ready}
	h.Files = layers.ParentFiles(program, ready, every[0], every[1])
	return h, nil
}

func hostable(o *order.Order, p *policy.Policy) bool {
	if o.Probe || o.StdoutGuard || o.TTY || o.Guided || o.ReportFD >= 0 || unix.Geteuid() == 0 ||
		o.Begin != "" && o.Begin != string(policy.Full) ||
		p.Level == policy.Privileged || p.OnHostExit == policy.Ignore {
		return false
	}
	// A filter of this process's own may answer a call by which machines are told apart with the process's end.
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil || mode != 0 {
		return false
	}
	var files unix.Rlimit // the process has the same
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil || files.Cur < layers.ParentNumbers {
		return false
	}
	caps, err := platform.ReadCapabilities() // the process has none after its execve
	return err == nil && caps.Effective|caps.Permitted == 0
}

// shared are files that each launch of this process hands over: its pidfd, and the executable of the parents.
var shared platform.Kept[[2]*os.File]

func makeShared() (files [2]*os.File, err error) {
	host, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return files, os.NewSyscallError("pidfd_open", err)
	}
	runner, err := program.Executable()
	if err != nil {
		unix.Close(host)
		return files, err
	}
	return [2]*os.File{os.NewFile(uintptr(host), "host"), os.NewFile(uintptr(runner), "runner")}, nil
}

// Path is the executable of the process, which has the Files from number 3 on.
func (h *Hosted) Path() string { return "/proc/self/fd/" + strconv.Itoa(2+len(h.Files)) }

// Begin waits, in a goroutine, for the process, and before that while many others are being made, until over is closed.
func (h *Hosted) Begin(over <-chan struct{}) {
	h.made = takeTurn(over)
	if h.taken.CompareAndSwap(false, true) {
		go func() {
			defer close(h.lines)
			defer func() { _ = recover() }() // the host goes on
			_ = h.run()                      // an error is that of a launch without a last record
		}()
	}
}

// run supervises the launch from the start of the process to the end of the server, and ends the process.
func (h *Hosted) run() error {
	defer h.parent.Close()
	code, err := h.here()
	if errors.Is(err, errParent) {
		return err
	}
	if err != nil {
		if err = h.execute(err); err == nil || h.parent.Check() != nil {
			return err
		}
		code = ending.ExitSandbox
		h.refuse(&order.Refusal{Layer: order.Exec, Op: "become a shim", Err: err})
	}
	h.parent.Exit(code)
	return err
}

// here supervises the launch in this process. An error means that a shim has to make it.
func (h *Hosted) here() (code int, err error) {
	defer h.made()
	w, err := loop.NewWaiter()
	if err != nil {
		return 0, err
	}
	defer w.Close()
	h.waiter.Store(w)
	s := newShim(Config{Order: h.Order, Host: -1, Parent: -1, Reached: true, Hooks: h.Hooks})
	in := &hosted{shim: s, of: h, waiter: w, streams: [3]int{-1, -1, -1}}
	defer in.end()
	s.process, s.Say, s.monitor.say = in, in.say, in.say
	s.sink.Give = h.give
	return in.run()
}

// refuse gives the record of a launch that not even a shim can make.
func (h *Hosted) refuse(err error) {
	r := order.NewRefused(err)
	r.Stamp(time.Now(), order.NewID())
	h.give(r.AppendJSON(nil))
}

// execute has the process become the shim.
func (h *Hosted) execute(why error) error {
	argv, env, err := h.Shim(why)
	if err != nil {
		return err
	}
	file := cmp.Or(h.Program, "/proc/self/exe")
	exe, err := unix.Open(file, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: file, Err: err}
	}
	defer unix.Close(exe)
	sealed, err := platform.Sealed("order", h.Order.Encode())
	if err != nil {
		return err
	}
	defer unix.Close(sealed)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return os.NewSyscallError("socketpair", err)
	}
	defer unix.Close(pair[1])
	if err = h.parent.Execute(argv, env, [layers.ShimFiles]int{sealed, pair[1], exe}, ending.Asks); err != nil {
		unix.Close(pair[0])
		return err
	}
	h.process, h.parent.FD = h.parent.FD, -1
	h.shim.Store(os.NewFile(uintptr(pair[0]), "shim"))
	if h.closed.Load() {
		_ = unix.Shutdown(pair[0], unix.SHUT_WR)
	}
	return nil
}
