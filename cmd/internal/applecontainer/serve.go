package applecontainer

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Exit codes as everywhere in this project.
const (
	exitTimeout = 124
	exitSandbox = 125
	exitSignal  = 128
)

// name is unique to a machine, and has the launcher's process id in it.
func name() string {
	return "mcp-sandbox-" + strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)
}

// serve runs the server and waits for its end, for the time limit, for a signal, or for the end of the host. The tool
// hands the end of standard input on to the server.
func (r *run) serve() int {
	cmd := exec.Command(r.Tool, r.request.Exec()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return r.refuse(refusal(order.Exec, "start", err))
	}
	x := &order.Exited{Event: "exited", Cause: order.CauseExit}
	done := make(chan struct{})
	go func() { cmd.Wait(); close(done) }()
	var due <-chan time.Time
	if t, limited := r.policy.Limits.Timeout.Value(); limited {
		due = time.After(t)
	}
	select {
	case <-done:
	case <-due:
		x.Cause = order.CauseTimeout
	case <-r.signals:
		x.Cause = order.CauseCancelled
	case <-r.hostGone():
		x.Cause = order.CauseHostGone
	}
	if x.Cause != order.CauseExit {
		r.stop(cmd, done)
	}
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		x.ExitCode = exitSignal + int(ws.Signal())
	} else {
		x.ExitCode = cmd.ProcessState.ExitCode()
	}
	if x.Cause == order.CauseTimeout {
		x.ExitCode = exitTimeout
	}
	x.WallSeconds = time.Since(r.began).Seconds()
	r.write(x, 100*time.Millisecond)
	return x.ExitCode
}

// stop asks the machine to end. The tool kills it after the grace. Then it is deleted, and the call that runs the
// server is killed.
func (r *run) stop(cmd *exec.Cmd, done <-chan struct{}) {
	grace, named := r.policy.Limits.Grace.Value()
	if !named {
		grace = 5 * time.Second
	}
	seconds := int((grace + time.Second - 1) / time.Second)
	if _, err := r.call(endTimeout+grace, r.request.Stop(seconds)); err != nil {
		r.Say(err.Error())
	}
	select {
	case <-done:
		return
	case <-time.After(time.Second):
	}
	r.remove()
	r.made = false
	cmd.Process.Kill()
	<-done
}

// hostGone is closed when this process has another parent. A poll is the same on every system.
func (r *run) hostGone() <-chan struct{} {
	gone := make(chan struct{})
	parent := os.Getppid()
	if r.policy.OnHostExit == policy.Ignore || parent <= 1 {
		return gone
	}
	go func() {
		for os.Getppid() == parent {
			time.Sleep(500 * time.Millisecond)
		}
		close(gone)
	}()
	return gone
}

func (r *run) enforced(layers []order.LayerReport) *order.Enforced {
	e := order.NewEnforced(r.Order, &r.policy, policy.ConfinementLimits)
	e.PID, e.Layers = os.Getpid(), layers
	e.Warnings = []string{"the server runs in the virtual machine " + r.request.Name +
		"; this backend has not been tried on real hardware"}
	return e
}

func (r *run) write(rec order.Line, within time.Duration) error {
	if r.Order.ReportFD < 0 {
		return nil
	}
	rec.Stamp(time.Now(), r.id)
	return platform.WriteUntil(r.Order.ReportFD, rec.AppendJSON(nil), time.Now().Add(within))
}

// refuse tells why no server ran.
func (r *run) refuse(err error) int {
	r.write(order.NewRefused(err), 100*time.Millisecond)
	r.Say(err.Error())
	return exitSandbox
}
