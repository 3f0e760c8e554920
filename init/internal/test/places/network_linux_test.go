package places_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Where a filter ends whoever makes a socket, each program says so in one line, whatever standard error and the
// report are, and no server runs; doctor says it in its own lines. In a unit of systemd's standard error is a socket.
func TestNoSockets(t *testing.T) {
	const fix = "@network-io in SystemCallFilter="
	h := newHouse(t)
	for _, seal := range []string{"@network-io", "@network-io, EPERM", "sendmsg", "socket", "getpeername"} {
		for _, c := range []struct {
			name  string
			words []string
			code  int
			says  string
		}{
			{"init", []string{"mcp-sandbox-init", "--report-fd", "3", "--", "/bin/echo", "ran"}, 125, fix},
			{"run", []string{"mcp-sandbox", "run", "--report-fd", "3", "--", "/bin/echo", "ran"}, 125, fix},
			{"plan", []string{"mcp-sandbox", "plan", "--", "/bin/echo"}, 125, "SIGSYS"},
			{"doctor", []string{"mcp-sandbox", "doctor"}, 1, fix},
		} {
			if c.name == "plan" && strings.HasSuffix(seal, "EPERM") { // it starts nothing
				continue
			}
			t.Run(seal+"/"+c.name, func(t *testing.T) {
				words := append([]string{filepath.Join(h.bin, c.words[0])}, c.words[1:]...)
				words = then(user, sealed(seal))(h, words)
				cmd := exec.Command(words[0], words[1:]...)
				cmd.Dir, cmd.Env = "/", []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent"}
				var out bytes.Buffer
				cmd.Stdout = &out
				said, errs := testbed.Pair(t, unix.SOCK_STREAM)
				told, report := testbed.Pair(t, unix.SOCK_STREAM)
				cmd.Stderr, cmd.ExtraFiles = errs, []*os.File{report}
				cmd.Run()
				errs.Close()
				report.Close()
				line, _ := io.ReadAll(said)
				if c.name == "doctor" { // its lines are its result
					if cmd.ProcessState.ExitCode() != c.code || !strings.Contains(out.String(), "[✗] Confinement reachable: none") || !strings.Contains(out.String(), c.says) {
						t.Errorf("%v, %s%s", cmd.ProcessState, &out, line)
					}
					return
				}
				// One text, in several lines if it is too wide for one.
				line = bytes.ReplaceAll(line, []byte("\nmcp-sandbox: "), []byte(" "))
				if cmd.ProcessState.ExitCode() != c.code || out.Len() > 0 || strings.Count(string(line), "\n") != 1 ||
					!strings.HasPrefix(string(line), "mcp-sandbox: ") || !strings.Contains(string(line), c.says) {
					t.Errorf("%v, on standard output %q, said %q", cmd.ProcessState, &out, line)
				}
				record, _ := io.ReadAll(told)
				var refused order.Refused
				if c.code == 125 && c.name != "plan" && (json.Unmarshal(record, &refused) != nil || refused.Event != "refused" || !strings.Contains(refused.Hint, fix)) {
					t.Errorf("reported %q", record)
				}
			})
		}
	}
}
