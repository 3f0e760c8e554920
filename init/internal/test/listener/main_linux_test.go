package listener_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Names under which this test binary starts as something else.
const (
	shimName = "listener.test init"  // mcp-sandbox-init; the policy and the command follow
	outside  = "listener.test outer" // a sandbox that has a listener already, around the same
	serverIs = "-denied-server"      // a server; what it does follows
)

const reportFD = 3

func TestMain(m *testing.M) {
	reexec.Init()
	switch {
	case os.Args[0] == shimName:
		os.Exit(shim(os.Args[1], os.Args[2:]))
	case os.Args[0] == outside:
		os.Exit(outer(os.Args[1:]))
	case len(os.Args) > 2 && os.Args[1] == serverIs:
		os.Exit(serve(os.Args[2], os.Args[3:]))
	}
	os.Exit(testbed.Run(m))
}

func shim(doc string, command []string) int {
	p, err := policy.Parse([]byte(doc))
	if err == nil {
		var o *order.Order
		if o, err = order.New(p, policy.Init, command, os.Environ(), "/"); err == nil {
			o.ReportFD = reportFD
			return reexec.Run(o)
		}
	}
	println(err.Error())
	return 70
}

// outer loads a filter that allows everything and has a listener, and starts the shim behind it. Only the thread that
// starts it is filtered; seccomp(2).
func outer(args []string) int {
	runtime.LockOSThread()
	if _, err := listen([]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}); err != nil {
		println("listener outside:", err.Error())
		return 71
	}
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{shimName}, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(reportFD, "report")}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		println(err.Error())
		return 72
	}
	return cmd.ProcessState.ExitCode()
}

// An outcome is what a launch left behind.
type outcome struct {
	code           int
	stdout, stderr string
	enforced       order.Enforced
	denied         []order.Denied
	exited         order.Exited
	process        *os.ProcessState // of the shim
	released       func()           // is called beside, when the report begins
}

// launch runs this binary as a server that does something, under a shim of a name.
func launch(t *testing.T, name, doc, does string, args ...string) *outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return start(t, name, doc, append([]string{self, serverIs, does}, args...), nil)
}

// start runs a command under a shim. Once the server is about to run, something may be done meanwhile, with the numbers of
// both; then the server's standard input ends.
func start(t *testing.T, name, doc string, command []string, meanwhile func(shim, server int)) *outcome {
	t.Helper()
	var out, errs bytes.Buffer
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = append([]string{name, doc}, command...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=/usr/bin:/bin"}
	cmd.ExtraFiles = []*os.File{w}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Groups: []uint32{0}}}
	}
	o := &outcome{}
	done := make(chan bool)
	if meanwhile == nil {
		close(done)
	} else {
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		o.released = func() {
			defer close(done)
			defer in.Close()
			meanwhile(cmd.Process.Pid, o.enforced.PID)
		}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	o.read(t, r)
	err = cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o.process, o.code, o.stdout, o.stderr = cmd.ProcessState, cmd.ProcessState.ExitCode(), out.String(), errs.String()
	if o.exited.Event != "exited" {
		t.Fatalf("code %d and no last line\n%s", o.code, o.stderr)
	}
	<-done
	return o
}

func (o *outcome) read(t *testing.T, report io.Reader) {
	t.Helper()
	for d := json.NewDecoder(report); ; {
		var line json.RawMessage
		if err := d.Decode(&line); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		var head struct{ Event string }
		err := json.Unmarshal(line, &head)
		switch head.Event {
		case "enforced":
			if err = json.Unmarshal(line, &o.enforced); err == nil && o.released != nil {
				go o.released()
			}
		case "denied":
			var one order.Denied
			err = json.Unmarshal(line, &one)
			o.denied = append(o.denied, one)
		case "exited":
			err = json.Unmarshal(line, &o.exited)
		default:
			t.Errorf("%s", line)
		}
		if err != nil {
			t.Errorf("%v: %s", err, line)
		}
	}
}

// fact is one of the seccomp layer.
func (o *outcome) fact(name string) (f order.Fact) {
	for _, l := range o.enforced.Layers {
		for i := range l.Facts {
			if l.Layer == order.Seccomp && l.Facts[i].Name == name {
				f = l.Facts[i]
			}
		}
	}
	return f
}
