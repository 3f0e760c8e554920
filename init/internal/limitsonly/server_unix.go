//go:build darwin || linux

package limitsonly

import (
	"bufio"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// argument0 of the processes that a shim starts: package reexec knows them by this name.
const argument0 = "mcp-sandbox-shim"

// A server is the helper's process, which becomes the server's.
type server struct {
	plan        *plan
	pid         int
	process     *os.Process
	gate        *os.File // releases the server
	helperLines *os.File
	proved      facts
	watchdog    *watchdogProcess
	tree        *proctree.Tree
	failed      string // why the server was not executed, or ""
}

// start starts the helper, in a session of its own, and waits until it has set everything.
func (s *server) start(stdout *os.File) error {
	s.proved = facts{}
	err := s.startHelper(stdout)
	if err == nil {
		s.pid, s.tree = s.process.Pid, proctree.NewTree(s.process.Pid)
		s.watchdog, err = startWatchdog(s.pid, s.plan)
	}
	if err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "start", Path: s.plan.command, Err: err}
	}
	s.helperLines.SetReadDeadline(time.Now().Add(startTimeout))
	if err = s.readFacts(); err != nil {
		return &order.Refusal{Layer: order.Limits, Op: "set up", Err: err}
	}
	return nil
}

func (s *server) startHelper(stdout *os.File) error {
	orderIn, orderOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer orderIn.Close()
	go func() { // an order may be longer than a pipe
		orderOut.Write(s.plan.Encode())
		orderOut.Close()
	}()
	var released, theirs *os.File
	if released, s.gate, err = os.Pipe(); err != nil {
		return err
	}
	defer released.Close()
	if s.helperLines, theirs, err = os.Pipe(); err != nil {
		return err
	}
	defer theirs.Close()
	s.process, err = spawn([]*os.File{os.Stdin, stdout, os.Stderr, orderIn, released, theirs}, helperName)
	return err
}

// spawn starts this binary again, in a session of its own.
func spawn(files []*os.File, args ...string) (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.StartProcess(self, append([]string{argument0}, args...), &os.ProcAttr{Dir: "/",
		Env: []string{"GODEBUG=containermaxprocs=0"}, Files: files, Sys: &syscall.SysProcAttr{Setsid: true}})
}

// readFacts reads the helper's facts, until the helper is ready.
func (s *server) readFacts() error {
	r := bufio.NewReader(s.helperLines)
	for {
		w, err := readLine(r)
		switch {
		case err != nil:
			return err
		case w[0] == "ready":
			return nil
		case w[0] != "fact" || len(w) != 7:
			return errLine
		}
		s.proved.add(order.Layer(w[1]), order.Fact{Name: w[2], Want: w[3], Got: w[4], Reason: w[5], Effect: w[6]})
	}
}

// release lets the helper execute the server. The helper's end of the lines is closed by execve.
func (s *server) release() error {
	if _, err := s.gate.Write([]byte{1}); err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "release", Err: err}
	}
	s.tree.Follow()
	_, err := readLine(bufio.NewReader(s.helperLines))
	if failed, ok := errors.AsType[helperError](err); ok {
		s.failed = failed.text
	}
	return nil
}

// wait waits for the server's own process. The resources of processes that the server did not wait for are unknown.
func (s *server) wait() order.Exited {
	state, err := s.process.Wait()
	if err != nil {
		return exited(ending.ExitSignal+int(syscall.SIGKILL), platform.SignalName(syscall.SIGKILL))
	}
	cpu := state.UserTime() + state.SystemTime()
	ws := state.Sys().(syscall.WaitStatus)
	x := exited(ws.ExitStatus(), "")
	if ws.Signaled() {
		x = exited(ending.ExitSignal+int(ws.Signal()), platform.SignalName(ws.Signal()))
		n, limited := s.plan.policy.Limits.CPUSeconds(runtime.NumCPU())
		killedAtLimit := ws.Signal() == syscall.SIGKILL && limited && cpu >= time.Duration(n)*time.Second
		if killedAtLimit || ws.Signal() == syscall.SIGXCPU {
			x.Cause = order.CauseCPU
		}
	}
	x.CPUSeconds, x.MaxRSS = cpu.Seconds(), state.SysUsage().(*syscall.Rusage).Maxrss*rssUnit
	return x
}

// account adds nothing: [server.wait] has the whole usage.
func (s *server) account(*order.Exited) {}

// Kill kills the server and its descendants, and returns how many of them were alive, at least.
func (s *server) Kill() int {
	if s.tree == nil {
		return 0
	}
	return s.tree.Kill()
}

// Ask sends a signal that asks for the end, and SIGCONT: a stopped server would not receive the first.
func (s *server) Ask(sig syscall.Signal) {
	s.Signal(sig)
	s.Signal(unix.SIGCONT)
}

// Signal signals the server's own process.
func (s *server) Signal(sig syscall.Signal) {
	if s.process != nil {
		s.process.Signal(sig)
	}
}

// close closes the descriptors and ends the watchdog, which has nothing to end any more.
func (s *server) close() {
	s.gate.Close()
	s.helperLines.Close()
	if s.tree != nil {
		s.tree.Close()
	}
	s.watchdog.end()
}
