package endings_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A trial is one launch under way, as its host sees it.
type trial struct {
	*testing.T
	cmd    *exec.Cmd         // the launcher, or the host of one
	sb     *launcher.Sandbox // of a launch embedded in this process
	stdin  *os.File
	stdout *bufio.Reader
	stderr bytes.Buffer

	reports chan host.Report // of mcp-sandbox-init
	last    json.RawMessage
	mark    string // a variable that every process of the sandbox has
	space   string // the pid namespace of the sandbox
	began   time.Time

	process1 int  // init, in the machine's numbers
	shared   bool // the sandbox has no pid namespace
}

var trials atomic.Int64

const markName = "MCP_SANDBOX_TRIAL"

// start starts a launch, in a host of its own if it is said so. Policy holds more keys of a policy document.
func start(t *testing.T, l launch, more string, ownHost bool) *trial {
	t.Helper()
	return startWith(t, l, more, ownHost, nil)
}

// startWith is start with a standard error of the test's.
func startWith(t *testing.T, l launch, more string, ownHost bool, stderr *os.File) *trial {
	t.Helper()
	tr := &trial{T: t, shared: l.Begin != "", mark: strconv.Itoa(os.Getpid()) + "-" + strconv.FormatInt(trials.Add(1), 10)}
	if more != "" {
		more = "," + more
	}
	if l.Begin != "" {
		more += `,"minConfinement":"` + l.Begin + `"`
	}
	l.Policy = `{"version":1,"env":{"` + markName + `":"` + tr.mark + `"}` + more + `}`
	p, err := policy.Parse([]byte(l.Policy))
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case ownHost:
		tr.cmd = testbed.As(hostName, l.encode())
	case l.Embedded:
		if tr.sb, err = launcher.Command(context.Background(), p, launcher.Target{Path: l.Command[0], Args: l.Command[1:], Dir: "/"}); err != nil {
			t.Fatal(err)
		}
		tr.cmd = tr.sb.Cmd
		tr.cmd.Env = append(tr.cmd.Env, testbed.NoWait)
	case l.Through != nil:
		exe, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		tr.cmd = exec.Command(l.Through[0], append(l.Through[1:], exe, programName, l.encode())...)
	default:
		tr.cmd = testbed.As(programName, l.encode())
	}
	in, inTo, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, outTo, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if l.Stdin != nil {
		in.Close()
		in = l.Stdin
	}
	tr.stdin, tr.stdout = inTo, bufio.NewReader(out)
	tr.cmd.Stdin, tr.cmd.Stdout, tr.cmd.Stderr = in, outTo, &tr.stderr
	if stderr != nil {
		tr.cmd.Stderr = stderr
	}
	if tr.sb == nil {
		tr.cmd.Env = append(os.Environ(), markName+"="+tr.mark)
		tr.takeReport()
	}
	tr.cmd.WaitDelay = testbed.Patience() // for what holds standard error and should not live
	tr.began = time.Now()
	if err := tr.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	outTo.Close()
	if tr.sb == nil {
		tr.cmd.ExtraFiles[0].Close()
	}
	t.Cleanup(func() {
		inTo.Close()
		out.Close()
		tr.cmd.Process.Kill()
		if tr.sb != nil {
			tr.sb.Close()
		}
		if !t.Failed() {
			return
		}
		living, _ := tr.here()
		for _, p := range living {
			unix.Kill(p.pid, unix.SIGKILL)
		}
	})
	return tr
}

// takeReport gives the launcher a pipe for its report and reads it to the end.
func (t *trial) takeReport() {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.cmd.ExtraFiles = []*os.File{w}
	t.reports = make(chan host.Report, 1)
	go func() {
		defer r.Close()
		report, _ := host.ReadReport(r) // a killed launcher may leave half a line
		t.reports <- report
	}()
}

// line waits for one line of the server's.
func (t *trial) line(want string) {
	t.Helper()
	if got := t.next(); got != want {
		t.cmd.Process.Kill()
		t.cmd.Wait()
		t.Fatalf("the server said %q, want %q\n%s", got, want, t.stderr.String())
	}
}

// leftBehind has the hosts of two trials end, and waits until nobody of the other is left: what ends the other would have
// ended this one before.
func (t *trial) leftBehind(other *trial) {
	t.Helper()
	for _, r := range []*trial{t, other} {
		r.line("ready")
		r.settled(2, 0)
	}
	for _, r := range []*trial{t, other} {
		r.cmd.Process.Kill()
		r.cmd.Process.Wait()
	}
	other.nobodyLeft()
}

func (t *trial) next() string {
	line, err := t.stdout.ReadString('\n')
	if err != nil && err != io.EOF {
		line = err.Error()
	}
	return strings.TrimSpace(line)
}

// end waits for the launcher and returns its exit code and its last record, nil if there is none.
func (t *trial) end() (code int, x *order.Exited) {
	t.Helper()
	watchdog := time.AfterFunc(testbed.Patience(), func() { t.cmd.Process.Kill() })
	defer watchdog.Stop()
	if t.sb != nil {
		ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
		defer cancel()
		x, _ = t.sb.Wait(ctx)
	}
	t.cmd.Wait()
	if t.sb == nil {
		x = t.exited()
	}
	return t.cmd.ProcessState.ExitCode(), x
}

// exited is the last record of mcp-sandbox-init, whose report ends with it.
func (t *trial) exited() *order.Exited {
	t.Helper()
	report := testbed.Receive(t, "the end of the report", t.reports)
	if len(report.Lines) > 0 {
		t.last = report.Lines[len(report.Lines)-1]
	}
	if report.Exited.Event != "" {
		return &report.Exited
	}
	return nil
}

func tardy(late time.Duration) error {
	if late > 0 {
		return fmt.Errorf("%v too late", late)
	}
	return nil
}
