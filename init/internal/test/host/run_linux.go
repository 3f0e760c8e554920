package host

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A Run is one launch, under way and then at its end.
type Run struct {
	testing.TB
	Cmd            *exec.Cmd
	Stdout, Stderr bytes.Buffer // unless the Cmd has others
	Stdin          io.WriteCloser
	Said           *bufio.Reader
	Code           int // -1: a signal killed the launcher
	Report
	began  chan order.Enforced
	report chan readReport
}

// A Report is what a launcher wrote on ReportFD.
type Report struct {
	Lines    []json.RawMessage
	Enforced order.Enforced
	Denied   []order.Denied
	Exited   order.Exited // or refused
}

type readReport struct {
	Report
	err error
}

// Start starts a launcher, and reads its report from the pipe that it gets.
func Start(tb testing.TB, cmd *exec.Cmd) *Run {
	tb.Helper()
	r := &Run{TB: tb, Cmd: cmd, began: make(chan order.Enforced, 1), report: make(chan readReport, 1)}
	if cmd.Stdout == nil {
		cmd.Stdout = &r.Stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &r.Stderr
	}
	from, to, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer to.Close()
	// A last line waits 100 ms for room, and on a busy machine the reader below may get no processor for as long.
	const whole = 1 << 20
	if _, err := unix.FcntlInt(to.Fd(), unix.F_SETPIPE_SZ, whole); err != nil && err != unix.EPERM {
		tb.Fatal(err)
	}
	cmd.ExtraFiles = append([]*os.File{to}, cmd.ExtraFiles...)
	cmd.WaitDelay = testbed.Patience() // for what holds an output and should not live
	if err := cmd.Start(); err != nil {
		from.Close()
		tb.Fatal(err)
	}
	tb.Cleanup(func() { cmd.Process.Kill() })
	go func() {
		defer from.Close()
		defer close(r.began)
		report, err := ReadReport(from, func(e *order.Enforced) { r.began <- *e })
		r.report <- readReport{report, err}
	}()
	return r
}

// Hold is Start with a standard input that stays open until the test closes Stdin.
func Hold(tb testing.TB, cmd *exec.Cmd) *Run {
	tb.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	r := Start(tb, cmd)
	r.Stdin = in
	return r
}

// Talk is Hold for a test that reads from Said what the server says, meanwhile and after its end.
func Talk(tb testing.TB, cmd *exec.Cmd) *Run {
	tb.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { from.Close() })
	defer to.Close()
	cmd.Stdout = to
	r := Hold(tb, cmd)
	r.Said = bufio.NewReader(from)
	return r
}

// Finish is Start, and waits for the end.
func Finish(tb testing.TB, cmd *exec.Cmd) *Run {
	tb.Helper()
	r := Start(tb, cmd)
	r.Wait()
	return r
}

// Began waits for the report's first line, which the server's release follows.
func (r *Run) Began() order.Enforced {
	r.Helper()
	e := testbed.Receive(r.TB, "the report's first line", r.began)
	if e.Event == "" { // the report's end
		r.Wait()
		r.Fatalf("code %d, the report is %s\n%s", r.Code, r.Lines, &r.Stderr)
	}
	return e
}

// ReadReport reads a report to its end. Each of began is called with the first line, before the second is read.
func ReadReport(from io.Reader, began ...func(*order.Enforced)) (r Report, err error) {
	for d := json.NewDecoder(from); ; {
		var line json.RawMessage
		if err := d.Decode(&line); err == io.EOF {
			return r, nil
		} else if err != nil {
			return r, err
		}
		r.Lines = append(r.Lines, line)
		var head struct{ Event string }
		err := json.Unmarshal(line, &head)
		switch head.Event {
		case "enforced":
			err = errors.Join(err, json.Unmarshal(line, &r.Enforced))
			for _, f := range began {
				f(&r.Enforced)
			}
		case "denied":
			var one order.Denied
			err = errors.Join(err, json.Unmarshal(line, &one))
			r.Denied = append(r.Denied, one)
		case "exited", "refused":
			err = errors.Join(err, json.Unmarshal(line, &r.Exited))
		}
		if err != nil {
			return r, err
		}
	}
}

// Wait waits for the launcher's end and for the end of its report. A launcher that hangs is killed.
func (r *Run) Wait() {
	r.Helper()
	watchdog := time.AfterFunc(testbed.Patience(), func() { r.Cmd.Process.Kill() })
	defer watchdog.Stop()
	err := r.Cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		r.Fatal(err)
	}
	r.Code = r.Cmd.ProcessState.ExitCode()
	read := <-r.report
	if r.Report = read.Report; read.err != nil && r.Code >= 0 { // one that is killed may leave half a line
		r.Fatalf("code %d, the report is %s: %v\n%s", r.Code, r.Lines, read.err, &r.Stderr)
	}
}

// Ran is Wait, and demands the lines of a launch that was not refused: the first, what was denied, the last.
func (r *Run) Ran() {
	r.Helper()
	r.Wait()
	if len(r.Lines) != 2+len(r.Denied) || r.Enforced.Event != "enforced" || r.Exited.Event != "exited" {
		r.Fatalf("code %d, the report is %s\n%s", r.Code, r.Lines, &r.Stderr)
	}
}

// Layer is what the report says of a layer.
func (r *Report) Layer(name order.Layer) *order.LayerReport { return r.Enforced.Layer(name) }

// Fact is what the report says of one fact of a layer, with or without a remark in parentheses, or an empty one.
func (r *Report) Fact(name order.Layer, fact string) order.Fact {
	found := r.Layer(name).Fact(func(f *order.Fact) bool {
		return f.Name == fact || strings.HasPrefix(f.Name, fact+" (")
	})
	return *cmp.Or(found, &order.Fact{})
}

// Mounted reports whether a process has a mount at a path.
func Mounted(pid int, path string) bool {
	table, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/mountinfo")
	return strings.Contains(string(table), " "+path+" ")
}
