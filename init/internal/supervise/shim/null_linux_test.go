package shim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// TestDevicesKeepTheirMode: a server changes neither the mode nor the times of the machine's devices, by path or through a
// standard descriptor, although its user may own them; and it can still write to them.
func TestDevicesKeepTheirMode(t *testing.T) {
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, c := range []struct{ act, want string }{
		{"echo x >/dev/null && echo written", "written"},
		{"echo x >&0 && echo written", "written"},
		{"chmod 666 /dev/null 2>&1; chmod 666 /dev/urandom 2>&1", "Read-only file system Read-only file system"},
		{"chmod 666 /proc/self/fd/0 2>&1", "Read-only file system"},
		{"touch -c /dev/zero 2>&1", "Read-only file system"},
	} {
		s := build(t, "")
		l := s.Launch(`{"version":1}`, "mark")
		l.Command = []string{"/bin/sh", "-c", c.act}
		l.Prepare = func(cmd *exec.Cmd) { cmd.Stdin = null }
		o := altered.Run(t, l)
		var got []string
		for line := range strings.Lines(o.Stdout) {
			got = append(got, strings.TrimSpace(line[strings.LastIndex(line, ":")+1:]))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %s\n%s", c.act, o.Stdout, c.want, o.Stderr)
		}
	}
	// The control: the same act on the host fails for another reason, or not at all.
	if err := unix.Fchmod(int(null.Fd()), 0o666); err == unix.EROFS {
		t.Error("the host's own /dev is read-only")
	}
}
