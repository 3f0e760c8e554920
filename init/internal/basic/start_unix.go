//go:build darwin || linux

package basic

import (
	"bufio"
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// argument0 of the processes that a shim starts: package reexec knows them by it.
const argument0 = "mcp-sandbox-shim"

// setUp is how long the helper may take.
const setUp = 30 * time.Second

// A server is the helper's process, which becomes the server's.
type server struct {
	pid      int
	plan     *plan
	process  *os.Process
	down, up *os.File
	proved   map[order.Layer]*order.LayerReport
	keeper   *keeper
	family   *family
	failed   string // why the server was not executed, or ""
	state    *os.ProcessState
}

// start starts the helper, in a session of its own, and waits until it has set everything.
func (h *Hold) start(p *plan) (*server, error) {
	s := &server{plan: p, proved: map[order.Layer]*order.LayerReport{order.Limits: {}, order.Descriptors: {}}}
	err := s.make(h)
	if err != nil {
		s.Kill()
		s.close()
		var r *order.Refusal
		if !errors.As(err, &r) {
			err = &order.Refusal{Layer: order.Exec, Op: "start", Path: p.command, Err: err}
		}
		return nil, err
	}
	return s, nil
}

func (s *server) make(h *Hold) error {
	theirDown, down, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirDown.Close()
	s.down = down
	up, theirUp, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirUp.Close()
	s.up = up
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr, theirDown, theirUp}
	if s.plan.stdout != nil {
		files[1] = s.plan.stdout
	}
	if s.process, err = spawn(helperName, files); err != nil {
		return err
	}
	s.pid = s.process.Pid
	s.family = newFamily(s.pid)
	if s.keeper, err = newKeeper(s.pid, s.plan); err != nil {
		return err
	}
	p := s.plan
	sp := spec{dir: p.dir, umask: string(p.umask), user: p.user, command: p.command, args: p.args, env: p.env, limits: h.Limits}
	go s.down.Write(sp.encode()) // it may be longer than a pipe
	s.up.SetReadDeadline(time.Now().Add(setUp))
	return s.listen()
}

// spawn starts this binary again, in a session of its own.
func spawn(name string, files []*os.File) (*os.Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.StartProcess(self, []string{argument0, name}, &os.ProcAttr{Dir: "/", Env: []string{"GODEBUG=containermaxprocs=0"}, Files: files,
		Sys: &syscall.SysProcAttr{Setsid: true}})
}

// listen takes what the helper read back, until it is ready.
func (s *server) listen() error {
	r := bufio.NewReader(s.up)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return &order.Refusal{Layer: order.Limits, Op: "set up", Err: errors.Join(errors.New("the server's process ended"), err)}
		}
		w := strings.Split(strings.TrimSuffix(line, "\n"), "\x00")
		switch {
		case w[0] == "ready":
			return nil
		case w[0] == "error" && len(w) == 3:
			n, _ := strconv.Atoi(w[1])
			return &order.Refusal{Layer: order.Limits, Op: "set up", Err: refusedBy{w[2], syscall.Errno(n)}}
		case w[0] == "fact" && len(w) == 7:
			l := s.proved[order.Layer(w[1])]
			if l == nil {
				l = &order.LayerReport{}
				s.proved[order.Layer(w[1])] = l
			}
			l.Facts = append(l.Facts, order.Fact{Name: w[2], Want: w[3], Got: w[4], Reason: w[5], Effect: w[6]})
		default:
			return errSpec
		}
	}
}

// refusedBy is an error of the helper's with its number.
type refusedBy struct {
	text  string
	errno syscall.Errno
}

func (r refusedBy) Error() string { return r.text }
func (r refusedBy) Unwrap() error { return r.errno }

// release lets the server run. The helper's end of the pipe is closed by its execve.
func (s *server) release() error {
	if _, err := s.down.Write([]byte{1}); err != nil {
		return &order.Refusal{Layer: order.Exec, Op: "release", Err: err}
	}
	s.family.follow()
	line, _ := bufio.NewReader(s.up).ReadString('\n')
	if w := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); w[0] == "error" && len(w) == 3 {
		s.failed = w[2]
	}
	return nil
}

// wait waits for the server's own process.
func (s *server) wait() (st status) {
	state, err := s.process.Wait()
	if err != nil {
		return status{code: ending.ExitSignal + int(syscall.SIGKILL), signal: platform.SignalName(syscall.SIGKILL)}
	}
	s.state = state
	ws := state.Sys().(syscall.WaitStatus)
	st.code = ws.ExitStatus()
	st.cpu = state.UserTime() + state.SystemTime()
	if ws.Signaled() {
		st.code, st.signal = ending.ExitSignal+int(ws.Signal()), platform.SignalName(ws.Signal())
		n, limited := s.plan.limits.CPUSeconds(runtime.NumCPU())
		st.spent = ws.Signal() == syscall.SIGXCPU || limited && ws.Signal() == syscall.SIGKILL && st.cpu >= time.Duration(n)*time.Second
	}
	return st
}

// account adds what is known only now. Of processes that the server did not wait for nobody tells.
func (s *server) account(st *status) {
	if s.state != nil {
		st.rss = s.state.SysUsage().(*syscall.Rusage).Maxrss * rssUnit
	}
}

// Ask signals the server. One that is stopped is woken, or it would never hear of it.
func (s *server) Ask(sig syscall.Signal) {
	s.Signal(sig)
	s.Signal(syscall.SIGCONT)
}

func (s *server) Signal(sig syscall.Signal) {
	if s.process != nil {
		s.process.Signal(sig)
	}
}

// close lets go of the helper and the keeper, which then has nothing to keep.
func (s *server) close() {
	for _, f := range []*os.File{s.down, s.up} {
		if f != nil {
			f.Close()
		}
	}
	if s.family != nil {
		s.family.leave()
	}
	if s.keeper != nil {
		s.keeper.dismiss()
	}
}
