package listener_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Names under which this test binary starts as something else.
const (
	shimName = host.Name             // mcp-sandbox-init
	outside  = "listener.test outer" // a sandbox that has a listener already, around the same
	serverIs = "-denied-server"      // a server; what it does follows
)

func TestMain(m *testing.M) {
	testbed.Machines()
	host.Main(testbed.Roles{outside: outer, serverIs: serve})
	os.Exit(testbed.Run(m))
}

// outer loads a filter that allows everything and has a listener, and starts the shim behind it. Only the thread that
// starts it is filtered; seccomp(2).
func outer(args []string) int {
	runtime.LockOSThread()
	if _, err := listen([]unix.SockFilter{{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}}); err != nil {
		println("listener outside:", err.Error())
		return 71
	}
	cmd := testbed.As(shimName, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{os.NewFile(host.ReportFD, "report")}
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		println(err.Error())
		return 72
	}
	return cmd.ProcessState.ExitCode()
}

// launch runs this binary as a server that does something, under a shim of a name.
func launch(t *testing.T, name, doc, does string, args ...string) *host.Run {
	t.Helper()
	return start(t, name, doc, append([]string{testbed.Self(t, "server"), serverIs, does}, args...), nil)
}

// start runs a command under a shim. Once the server is about to run, something may be done meanwhile, with the
// numbers of both and the server's standard input, which ends then.
func start(t *testing.T, name, doc string, command []string, meanwhile func(shim, server int, in io.Writer)) *host.Run {
	t.Helper()
	cmd := host.Launch{Policy: doc, Command: command, Env: host.Env(t)}.Cmd(t)
	cmd.Args[0] = name
	if doc == listed {
		testbed.Machine{Lacks: []testbed.Lack{testbed.NoClone}}.Put(t, cmd)
	}
	var run *host.Run
	if meanwhile == nil { // the null device: the end of a pipe could be that of the session
		run = host.Start(t, cmd)
	} else {
		run = host.Hold(t, cmd)
		meanwhile(cmd.Process.Pid, run.Began().PID, run.Stdin)
		run.Stdin.Close()
	}
	run.Wait()
	if run.Exited.Event != "exited" {
		t.Fatalf("code %d and no last line\n%s", run.Code, &run.Stderr)
	}
	return run
}
