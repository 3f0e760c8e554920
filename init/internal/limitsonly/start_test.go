package limitsonly

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A run is one shim under way.
type run struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Reader
	errs   bytes.Buffer
	report string // file
	once   sync.Once
}

// launch starts a shim whose standard input is a pipe.
func (tr trial) launch(t *testing.T, change ...func(*exec.Cmd)) *run {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &run{cmd: exec.Command(self), report: t.TempDir() + string(os.PathSeparator) + "report"}
	tr.ReportFile, tr.Document = r.report, tr.Policy.AppendJSON(nil)
	tr.Self = self
	if os.Getuid() == 0 { // the server is another user
		tr.Self = testbed.Self(t, "server")
	}
	text, err := json.Marshal(tr)
	if err != nil {
		t.Fatal(err)
	}
	r.cmd.Args, r.cmd.Stderr = []string{shimName, string(text)}, &r.errs
	r.cmd.WaitDelay = testbed.Patience() // whatever has its standard error still
	for _, c := range change {
		c(r.cmd)
	}
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	r.lines = bufio.NewReader(out)
	t.Cleanup(func() { r.cmd.Process.Kill(); r.wait(t) })
	return r
}

// line is one line that the server says.
func (r *run) line(t *testing.T) string {
	t.Helper()
	s, err := r.lines.ReadString('\n')
	if err != nil {
		r.cmd.Wait()
		t.Fatalf("%v\n%s", err, r.errs.String())
	}
	return strings.TrimRight(s, "\r\n")
}

// wait waits for the shim and returns its exit code.
func (r *run) wait(t *testing.T) int {
	t.Helper()
	r.once.Do(func() { r.cmd.Wait() })
	return r.cmd.ProcessState.ExitCode()
}

// all is what the server says, the shim's exit code, and the two lines of its report.
func (r *run) all(t *testing.T) (out string, code int, first *order.Enforced, last *order.Exited) {
	t.Helper()
	var b []byte
	var err error
	over := make(chan struct{})
	go func() {
		defer close(over)
		b, err = io.ReadAll(r.lines)
	}()
	if testbed.Receive(t, "the end of the server's output", over); err != nil {
		t.Fatal(err)
	}
	code = r.wait(t)
	first, last = r.told(t)
	return strings.ReplaceAll(string(b), "\r\n", "\n"), code, first, last
}

// told reads the report; a line that is not there is nil.
func (r *run) told(t *testing.T) (first *order.Enforced, last *order.Exited) {
	t.Helper()
	b, err := os.ReadFile(r.report)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		e, x := new(order.Enforced), new(order.Exited)
		switch {
		case strings.HasPrefix(line, `{"event":"enforced"`) && json.Unmarshal([]byte(line), e) == nil:
			first = e
		case strings.HasPrefix(line, `{"event":"exited"`) && json.Unmarshal([]byte(line), x) == nil:
			last = x
		}
	}
	return first, last
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	testbed.Await(t, "the end of process "+strconv.Itoa(pid), func() bool { return !lives(pid) })
}
