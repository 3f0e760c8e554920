package endings_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

const quick = `"limits":{"grace":"300ms"}`

// What is no session is no reason to end a server: standard input that is at its end already, or that is no
// conversation.
func TestNoSession(t *testing.T) {
	t.Parallel()
	ended, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { master.Close() })
	for name, in := range map[string]*os.File{"null": null, "pipe": ended, "file": file, "tty": tty} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := start(t, launch{Launch: host.Launch{Command: shell("sleep 1.5; echo done")}, Stdin: in}, quick, false)
			code, x := run.end()
			if said := run.next(); code != 0 || x == nil || x.Cause != order.CauseExit || said != "done" {
				t.Errorf("code %d, said %q, %+v\n%s", code, said, x, run.stderr.String())
			}
		})
	}
}

// A session that is over is over once everything is read; and only if the policy says so.
func TestSessionOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script, grace string
		policy, said        string
		code                int
		cause               order.Cause
		warned              bool
	}{
		{name: "noticed", script: "cat >/dev/null; echo end; exit 4", grace: "1m", said: "end", code: 4, cause: order.CauseExit},
		{name: "not noticed", script: "exec sleep 1000", grace: "5s", code: 143, cause: order.CauseStdinClosed, warned: true},
		// It takes longer than its grace, and no step of it does.
		{name: "unread", script: "sleep 3; head -c 10000 >/dev/null; sleep 3; wc -c; exit 4", grace: "5s", said: "30000", code: 4, cause: order.CauseExit},
		{name: "never read", script: "exec sleep 1000", grace: "5s", code: 143, cause: order.CauseStdinClosed, warned: true},
		{name: "ignore", script: "cat >/dev/null; sleep 1.5; echo end; exit 4", grace: "300ms", policy: `,"onStdinClose":"ignore"`, said: "end", code: 4, cause: order.CauseExit},
	} {
		for _, kind := range []string{"pipe", "socket", "tcp4", "tcp6"} {
			t.Run(c.name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				l := of(shell("echo ready; " + c.script))
				hangUp := func(t *trial) { t.stdin.Close() }
				own := (*os.File)(nil)
				switch kind {
				case "socket": // as Node hosts have it, whose stdin.end() is a shutdown: RDHUP alone
					own, l.Stdin = testbed.Pair(t, unix.SOCK_STREAM)
				case "tcp4", "tcp6": // which a relay reads; what it has read and not yet handed on is unread as well
					own, l.Stdin = testbed.Stream(t, kind)
				}
				if own != nil {
					hangUp = func(*trial) { unix.Shutdown(int(own.Fd()), unix.SHUT_WR) }
				}
				run := start(t, l, `"limits":{"grace":"`+c.grace+`"}`+c.policy, false)
				run.line("ready")
				if own == nil {
					own = run.stdin
				}
				size := 40000
				if strings.HasPrefix(c.script, "exec sleep") {
					size = 4000 // a user who has many pipes gets small ones (pipe-user-pages-soft, pipe(7)), and nobody reads
				}
				if _, err := own.Write(make([]byte, size)); err != nil {
					t.Fatal(err)
				}
				hangUp(run)
				rest, _ := io.ReadAll(run.stdout)
				code, x := run.end()
				if strings.TrimSpace(string(rest)) != c.said || code != c.code || x == nil || x.Cause != c.cause {
					t.Errorf("said %q, code %d, %+v; want %q, %d, %s", rest, code, x, c.said, c.code, c.cause)
				}
				text := run.stderr.String()
				if strings.Contains(text, "standard input was closed") != c.warned || strings.Contains(text, "onStdinClose") != c.warned {
					t.Errorf("standard error: %q", text)
				}
			})
		}
	}
}

// A host that leaves its servers behind on purpose may.
func TestOnHostExitIgnore(t *testing.T) {
	t.Parallel()
	for _, embedded := range []bool{true, false} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			l := launch{Launch: host.Launch{Command: shell(ends)}, Embedded: embedded}
			run, other := start(t, l, quick+`,"onHostExit":"ignore"`, true), start(t, l, quick, true)
			run.leftBehind(other)
			if !run.settled(2, 0) {
				t.Error("nobody lives, want init and the server")
			}
			run.stdin.Write([]byte("\n"))
			run.nobodyLeft()
			if embedded {
				return // the report went to the host
			}
			if x := run.exited(); x == nil || x.Cause != order.CauseExit || x.ExitCode != 7 {
				t.Errorf("%+v", x)
			}
		})
	}
}

// A full standard error that is not read keeps no server from being ended.
func TestFullStderr(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fd := int(w.Fd())
	unix.SetNonblock(fd, true)
	for err == nil {
		_, err = unix.Write(fd, make([]byte, 4096))
	}
	unix.SetNonblock(fd, false)
	run := startWith(t, of(shell(waits)), `"limits":{"grace":"5s"}`, false, w)
	run.line("ready")
	run.stdin.Close()
	if code, x := run.end(); code != 143 || x == nil || x.Cause != order.CauseStdinClosed {
		t.Errorf("code %d, %+v", code, x)
	}
}
