package transport_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// serverWord is the first argument of this test binary when it is a server.
const serverWord = "transport.test-server"

func TestMain(m *testing.M) {
	host.Main()
	if len(os.Args) > 4 && os.Args[1] == serverWord && os.Args[2] == "become" { // for shells, which name no program
		unix.Exec("/proc/self/exe", os.Args[3:], os.Environ())
		os.Exit(host.Wrong)
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

// binary is a copy of this one that every user may execute.
func binary(tb testing.TB) string {
	tb.Helper()
	once.Do(func() { copied = testbed.CopyTo(tb, filepath.Join(testbed.Scratch(tb), "transport.test")) })
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
		doc := `{"version":1,"env":{"GORACE":"atexit_sleep_ms=0"},"limits":{"grace":"100ms"` + l.limit() + `}` + l.least() + `}`
		cmd = exec.Command(binary(tb))
		cmd.Args = host.Order{Policy: doc, Command: l.Command, Run: true, Begin: l.Begin, TTY: l.TTY, Guard: l.Guard}.Args(tb)
	}
	cmd.Env = append(os.Environ(), "TERM=dumb", testbed.NoWait)
	return cmd
}

// within waits until f is done.
func within(tb testing.TB, what string, f func()) {
	tb.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	testbed.Receive(tb, what, done)
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
