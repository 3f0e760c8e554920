package transport_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server that closes its output while it goes on is seen to have: the reader waits for it and not for the end.
func TestClosedStdoutIsSeen(t *testing.T) {
	for name, connect := range map[string]func(*testing.T) (own, theirs *os.File){"pipe": pipeTo, "socket": socketTo,
		"IPv4": internetTo("tcp4"), "IPv6": internetTo("tcp6")} {
		for _, l := range []launch{{}, {Launch: host.Launch{Guard: true}}} {
			t.Run(name, func(t *testing.T) {
				for act, closes := range map[string]bool{"hang up": true, "echo": false} {
					l.Command = serve(t, act)
					cmd := l.cmd(t)
					own, theirs := connect(t)
					cmd.Stdout = theirs
					in, err := cmd.StdinPipe()
					if err == nil {
						err = cmd.Start()
					}
					if err != nil {
						t.Fatal(err)
					}
					theirs.Close()
					if closes {
						within(t, "the end of the output", func() { io.Copy(io.Discard, own) })
					} else { // what comes behind something of the server's is no end that it did not make
						answered(t, own, in)
					}
					if unix.Kill(cmd.Process.Pid, 0) != nil {
						t.Error("the server did not go on")
					}
					in.Close()
					if err := cmd.Wait(); err != nil {
						t.Error(err)
					}
					own.Close()
				}
			})
		}
	}
}

// answered demands that what a server says to a message arrives.
func answered(t *testing.T, own io.Reader, in io.Writer) {
	t.Helper()
	const message = `{"jsonrpc":"2.0"}` + "\n"
	for range 2 {
		io.WriteString(in, message)
		got := make([]byte, len(message))
		within(t, "an answer", func() {
			if _, err := io.ReadFull(own, got); err != nil || string(got) != message {
				t.Errorf("an end that the server did not make: %q, %v", got, err)
			}
		})
	}
}

func pipeTo(t *testing.T) (own, theirs *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

func socketTo(t *testing.T) (own, theirs *os.File) {
	return testbed.Pair(t, unix.SOCK_STREAM)
}

func internetTo(network string) func(t *testing.T) (own, theirs *os.File) {
	return func(t *testing.T) (own, theirs *os.File) { return testbed.Stream(t, network) }
}

// What a server's children wrote before they were killed with it arrives, and the exit code is still the server's.
func TestOutputOfTheKilledArrives(t *testing.T) {
	for name, guard := range map[string]bool{"file": false, "guard": true} {
		t.Run(name, func(t *testing.T) {
			l := launch{Launch: host.Launch{Guard: guard, Command: serve(t, "children")}}
			cmd := l.cmd(t)
			out, err := os.CreateTemp(t.TempDir(), "")
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			var errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = out, &errs
			var exit *exec.ExitError
			within(t, "the end", func() { err = cmd.Run() })
			if !errors.As(err, &exit) || exit.ExitCode() != 5 {
				t.Errorf("%v\n%s", err, errs.String())
			}
			b, err := os.ReadFile(out.Name())
			if err != nil {
				t.Fatal(err)
			}
			got := string(b)
			if guard {
				got = strings.ReplaceAll(errs.String(), "mcp-sandbox: stdout: ", "")
			}
			if n := strings.Count(got, "line "); n != 1000 || !strings.HasSuffix(got, "line 999\nparent\n") || guard != (len(b) == 0) {
				t.Errorf("%d lines, %q", n, got[max(0, len(got)-100):])
			}
		})
	}
}

// A reader that has gone is told to the server as ever, by SIGPIPE, and one that takes nothing does not keep the
// launcher.
func TestReadersThatDoNot(t *testing.T) {
	l := launch{Launch: host.Launch{Guard: true, Command: []string{"/bin/sh", "-c", "yes"}}}
	cmd := l.cmd(t)
	r, w := pipeTo(t)
	cmd.Stdout, cmd.Stderr = nil, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 100)
	for range 10 { // past the launcher's own lines
		r.Read(buf)
	}
	testbed.Await(t, "a full pipe", func() bool {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(w.Fd()), Events: unix.POLLOUT}}, 0)
		return n == 0
	})
	w.Close()
	cmd.Process.Signal(unix.SIGTERM)
	within(t, "the end", func() { cmd.Wait() })
	r.Close()

	l.Command = []string{"/bin/sh", "-c", `while echo '{"jsonrpc":"2.0"}'; do :; done; exit 9`}
	cmd = l.cmd(t)
	out, theirs := pipeTo(t)
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	out.Read(buf)
	out.Close()
	within(t, "the end", func() { cmd.Wait() })
	if code := cmd.ProcessState.ExitCode(); code != 128+int(unix.SIGPIPE) {
		t.Errorf("exit code %d", code)
	}
}
