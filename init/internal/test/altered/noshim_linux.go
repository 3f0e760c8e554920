package altered

import (
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	launches "github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// runHosted makes the launch in this process, without a shim, and returns the status of the process that it started.
func (l *Launch) runHosted(o *order.Order, hooks launches.Hooks, made **layers.Layout) int {
	p, err := policy.Parse([]byte(l.Policy))
	if err != nil {
		return ExitWrong
	}
	o.ReportFD = -1
	report := func(line []byte) {
		_, _ = unix.Write(reportFD, line)
		for _, event := range []string{"enforced", "exited"} {
			if bytes.Contains(line, []byte(`"event":"`+event+`"`)) {
				l.panics(event)
			}
		}
		if l.Lost != "" && bytes.Contains(line, []byte(`"event":"enforced"`)) {
			lose(l.Lost)
		}
		if l.List && bytes.Contains(line, []byte(`"event":"exited"`)) { // while the program is mapped
			write(*made)
		}
	}
	c := shim.HostedConfig{Order: o, Policy: &p, Give: report, Hooks: hooks,
		Say: func(fd int, line string) { _, _ = unix.Write(fd, []byte("mcp-sandbox: "+line+"\n")) },
		// A shim would begin anew, and hide what this attempt missed.
		Shim: func(why error) (argv, env []string, err error) { return nil, nil, why }}
	if first, err := shim.Host(c); err == nil && first != nil { // what is made once
		closeOwn(first)
		_ = first.Close()
	}
	before := holds()
	h, err := shim.Host(c)
	if err != nil || h == nil {
		println("no launch without a shim")
		return ExitWrong
	}
	cmd, err := StartParent(h, l.Dir)
	if err != nil {
		println(err.Error())
		return ExitWrong
	}
	_ = h.Next() // until the launch is over
	_ = cmd.Wait()
	if left := before.left(); left != "" {
		println("the host has more than before: " + left)
		return exitLeaks
	}
	if st := cmd.ProcessState.Sys().(syscall.WaitStatus); st.Signaled() {
		return ending.ExitSignal + int(st.Signal())
	}
	return cmd.ProcessState.ExitCode()
}

func (l *Launch) panics(at string) {
	if l.Panic == at {
		for all := testbed.Children(os.Getpid()); len(all) > 0; all = all[1:] {
			println(all[0])
			all = append(all, testbed.Children(all[0])...)
		}
		panic("a fault of the launcher")
	}
}

// lose kills a process of this process's one launch, and waits for its end and init's: with init the server ends.
func lose(name string) {
	parent := testbed.Children(os.Getpid())[0]
	init := testbed.Children(parent)[0]
	pid := parent
	if name == "init" {
		pid = init
	}
	_ = unix.Kill(pid, unix.SIGKILL)
	for _, pid := range []int{pid, init} {
		testbed.Comes(func() bool { return strings.Trim(testbed.State(pid), "Z") == "" })
	}
}

// exitLeaks is the code of a host that has more descriptors or goroutines after a launch than before.
const exitLeaks = 72

// holdings are the descriptors of this process, but those that all launches share, and how many goroutines it has.
type holdings struct {
	files      map[string]string
	goroutines int
}

func holds() holdings {
	h := holdings{map[string]string{}, runtime.NumGoroutine()}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		shared := []string{"anon_inode:[eventpoll]", "anon_inode:[eventfd]", "anon_inode:inotify"}
		if err == nil && !slices.Contains(shared, to) {
			h.files[e.Name()] = to
		}
	}
	return h
}

// left is what is there besides, once that changes no more.
func (h holdings) left() (what string) {
	const shared = 2 // goroutines for all launches: that wait, and watch covers
	testbed.Comes(func() bool {
		what = ""
		now := holds()
		for fd, to := range now.files {
			if h.files[fd] != to {
				what += " " + fd + ":" + to
			}
		}
		if now.goroutines > h.goroutines+shared {
			what += " goroutines"
		}
		return what == ""
	})
	return what
}

// StartParent begins a launch without a shim: it starts the process, with the standard streams of this one.
func StartParent(h *shim.Hosted, dir string) (*exec.Cmd, error) {
	cmd := exec.Command(h.Path())
	cmd.Args, cmd.Env, cmd.Dir = []string{order.RunnerName}, []string{}, cmp.Or(dir, "/")
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = os.Stdin, os.Stdout, os.Stderr, h.Files
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGCONT}
	h.Begin(nil)
	err := cmd.Start()
	closeOwn(h)
	return cmd, err
}

func closeOwn(h *shim.Hosted) {
	for _, f := range h.Own {
		f.Close()
	}
}
