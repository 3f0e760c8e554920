package transport_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What this test binary is under another name: mcp-sandbox run, or a server.
const (
	programName = "transport.test run"
	serverWord  = "transport.test-server" // its first argument

	exitWrong = 70
)

func TestMain(m *testing.M) {
	reexec.Init()
	if os.Args[0] == programName {
		os.Exit(program(os.Args[1]))
	}
	if len(os.Args) > 4 && os.Args[1] == serverWord && os.Args[2] == "become" { // for shells, which name no program
		unix.Exec("/proc/self/exe", os.Args[3:], os.Environ())
		os.Exit(exitWrong)
	}
	if len(os.Args) > 2 && os.Args[1] == serverWord {
		os.Exit(server(os.Args[2], os.Args[3:]))
	}
	os.Exit(testbed.Run(m))
}

// A launch is what a test asks of mcp-sandbox run.
type launch struct {
	Bare    bool // no sandbox at all
	TTY     bool
	Guard   bool
	Timeout string // limits.timeout; "" for none
	Begin   string // the confinement to begin with; "" for full
	Command []string
}

// program does what mcp-sandbox run does with its two flags.
func program(request string) int {
	var l launch
	if json.Unmarshal([]byte(request), &l) != nil {
		return exitWrong
	}
	p, err := policy.Parse([]byte(`{"version":1,"env":{"GORACE":"atexit_sleep_ms=0"},"limits":{"grace":"100ms"` + l.limit() + `}` + l.least() + `}`))
	if err != nil {
		return exitWrong
	}
	o, err := order.New(p, policy.Run, l.Command, os.Environ(), "/")
	if err != nil {
		println(err.Error())
		return exitWrong
	}
	o.TTY, o.StdoutGuard, o.Begin = l.TTY, l.Guard, l.Begin
	return reexec.Run(o)
}

// binary is a copy of this one that every user may execute.
func binary(tb testing.TB) string {
	tb.Helper()
	once.Do(func() {
		b, err := os.ReadFile("/proc/self/exe")
		if err != nil {
			tb.Fatal(err)
		}
		copied = filepath.Join(testbed.Scratch(tb), "transport.test")
		if err := os.WriteFile(copied, b, 0o755); err != nil {
			tb.Fatal(err)
		}
		os.Chmod(copied, 0o755)
	})
	return copied
}

var (
	once   sync.Once
	copied string
)

// serve is the command of a server of this binary.
func serve(tb testing.TB, act string, args ...string) []string {
	return append([]string{binary(tb), serverWord, act}, args...)
}

func (l launch) cmd(tb testing.TB) *exec.Cmd {
	tb.Helper()
	var cmd *exec.Cmd
	if l.Bare {
		cmd = exec.Command(l.Command[0], l.Command[1:]...)
	} else {
		b, err := json.Marshal(l)
		if err != nil {
			tb.Fatal(err)
		}
		cmd = exec.Command(binary(tb))
		cmd.Args = []string{programName, string(b)}
	}
	cmd.Env = append(os.Environ(), "TERM=dumb", testbed.NoWait)
	return cmd
}

// patience is with what ends on a machine that is busy. What hangs does not end by then either.
const patience = time.Minute

// within fails the test if f takes longer than it may.
func within(tb testing.TB, d time.Duration, what string, f func()) {
	tb.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(d):
		tb.Fatalf("%s: not in %v", what, d)
	}
}

func closeAll(all ...io.Closer) {
	for _, c := range all {
		c.Close()
	}
}

func (l *launch) limit() string {
	if l.Timeout == "" {
		return ""
	}
	return `,"timeout":"` + l.Timeout + `"`
}

func (l *launch) least() string {
	if l.Begin == "" {
		return ""
	}
	return `,"minConfinement":"` + l.Begin + `"`
}
