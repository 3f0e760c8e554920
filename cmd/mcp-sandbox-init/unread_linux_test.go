package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// halfFull is a pipe with more than half of its bytes inside, whose other half is kept for the last line. A pipe of a
// user with many pipes is in that state once it has the first line: pipe(7), pipe-user-pages-soft.
func halfFull(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	t.Cleanup(func() { r.Close(); w.Close() })
	const size = 64 << 10
	testbed.Await(t, "room for 64 kB in a pipe", func() bool { // pipe(7), pipe-user-pages-soft
		got, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, size)
		return err == nil && got == size
	})
	_, err = w.Write(append(bytes.Repeat([]byte(" "), size/2), '\n'))
	check(t, err)
	return r, w
}

// A refusal for which the report had no room comes as soon as somebody reads, while the server runs.
func TestDeniedWaitsForRoom(t *testing.T) {
	r, w := halfFull(t)
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command(self)
	cmd.Args = []string{"mcp-sandbox-init", "--report-fd", "3", "--", "sh", "-c", "unshare -U true; echo refused; read end"}
	cmd.ExtraFiles, cmd.Dir = []*os.File{w}, t.TempDir()
	stdin, err := cmd.StdinPipe()
	check(t, err)
	stdout, err := cmd.StdoutPipe()
	check(t, err)
	check(t, cmd.Start())
	w.Close()
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "refused\n" {
		t.Fatalf("%q, %v", line, err)
	}
	check(t, r.SetReadDeadline(time.Now().Add(time.Minute)))
	report := bufio.NewReader(r)
	for _, event := range []string{"", "enforced", "denied"} {
		line, err := report.ReadString('\n')
		if check(t, err); !strings.Contains(line, event) {
			t.Errorf("%.300q, want %q", line, event)
		}
	}
	stdin.Close()
	rest, err := io.ReadAll(report)
	check(t, err)
	if got := events(t, string(rest)); got != "exited" || strings.Contains(string(rest), `"dropped"`) {
		t.Errorf("%q", rest)
	}
	cmd.Wait()
}

// A refusal that nobody has made room for until the server's end is dropped, and counted.
func TestDeniedNeverRead(t *testing.T) {
	r, w := halfFull(t)
	start(t, []string{"--report-fd", "3", "--", "sh", "-c", "unshare -U true || true"}, w).ran(t, "")
	w.Close()
	report, err := io.ReadAll(r)
	check(t, err)
	text := strings.TrimSpace(string(report))
	if got := events(t, text); got != "enforced exited" || !strings.Contains(text, `"dropped":1`) {
		t.Errorf("%s, which ends with %q", got, text[max(0, len(text)-300):])
	}
}
