package transport_test

import (
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// serverWord is the first argument of this test binary when it is a server.
const serverWord = "transport.test-server"

func TestMain(m *testing.M) {
	host.Main(testbed.Roles{serverWord: server})
	os.Exit(testbed.Run(m))
}

// A launch is what a test asks of mcp-sandbox run.
type launch struct {
	host.Launch
	Bare    bool   // no sandbox at all
	Timeout string // limits.timeout; "" for none
}

// serve is the command of a server of this binary.
func serve(tb testing.TB, act string, args ...string) []string {
	return append([]string{testbed.Self(tb, "server"), serverWord, act}, args...)
}

func (l launch) cmd(tb testing.TB) *exec.Cmd {
	tb.Helper()
	l.Policy = `{"version":1,"env":{"GORACE":"atexit_sleep_ms=0"},"limits":{"grace":"100ms"` + l.limit() + `}` + l.least() + `}`
	l.Run, l.Env = true, append(os.Environ(), "TERM=dumb", testbed.NoWait)
	if l.Bare {
		cmd := exec.Command(l.Command[0], l.Command[1:]...)
		cmd.Env = l.Env
		return cmd
	}
	cmd := l.Cmd(tb)
	cmd.Path = testbed.Self(tb, "server") // which a shell can start as well
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
