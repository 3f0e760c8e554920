package reexec_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func finish(t *testing.T, cmd *exec.Cmd) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
}

// binary is a copy of this test binary that every uid can execute.
func binary(t *testing.T, name string, mode os.FileMode) string {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(testbed.Scratch(t), name)
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err = errors.Join(err, to.Close(), os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(path) })
	return path
}

// right is what the right start of a shim ends with: the server has run.
func right(t *testing.T, code int, out, errs string) {
	t.Helper()
	if code != 7 || out != "ran\n" {
		t.Errorf("status %d, said %q\n%s", code, out, errs)
	}
}

// wrong is what every other start ends with.
func wrong(t *testing.T, code int, out, errs, why string) {
	t.Helper()
	if code != 125 || out != "" || !strings.HasPrefix(errs, "mcp-sandbox: ") || !strings.Contains(errs, why) || strings.Count(errs, "\n") != 1 {
		t.Errorf("status %d, said %q, want 125 and %q\n%s", code, out, why, errs)
	}
}

func TestRefusedStarts(t *testing.T) {
	own := binary(t, "host", 0o755)
	code, out, errs := as(t, own, 0, start{Binary: own})
	right(t, code, out, errs)
	for _, c := range []struct {
		name  string
		start start
		why   string
	}{
		{"no arguments", start{Args: []string{}}, "arguments"},
		{"other arguments", start{Args: []string{"shell"}}, "arguments"},
		{"more arguments", start{Args: []string{reexec.ByHost, "x"}}, "arguments"},
		{"order without seals", start{Order: "unsealed"}, "sealed"},
		{"order that can be written to", start{Order: "half"}, "sealed"},
		{"order in a file", start{Order: "file"}, "sealed"},
		{"order in a pipe", start{Order: "pipe"}, "sealed"},
		{"no order", start{Order: "none"}, "sealed"},
		{"empty order", start{Order: "empty"}, "order"},
		{"order with more behind it", start{Order: "garbage"}, "order"},
		{"stream", start{Socket: "stream"}, "SEQPACKET"},
		{"datagram", start{Socket: "datagram"}, "SEQPACKET"},
		{"pipe", start{Socket: "pipe"}, "SO_TYPE"},
		{"no socket", start{Socket: "none"}, "SO_TYPE"},
		{"no socket for itself either", start{Args: []string{reexec.BySelf}, Order: "unsealed"}, "sealed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.start.Binary = own
			code, out, errs := as(t, own, 0, c.start)
			wrong(t, code, out, errs, c.why)
		})
	}
}

// The socket of one host, handed on by another: the other end is not the parent.
func TestForeignPeer(t *testing.T) {
	own := binary(t, "host", 0o755)
	s := start{}
	down, err := s.order()
	if err != nil {
		t.Fatal(err)
	}
	up, err := s.socket()
	if err != nil {
		t.Fatal(err)
	}
	code, out, errs := as(t, own, 0, start{Binary: own, Given: true}, down, up)
	wrong(t, code, out, errs, "parent")

	s.Binary = own // and the same two, from the host that made them
	cmd, err := s.command()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Args = []string{reexec.Name, reexec.ByHost}
	code, out, errs = finish(t, cmd)
	right(t, code, out, errs)
}

// nobodyElse is a uid that the tests of a root become.
const nobodyElse = 12345

// A host that has rights of its file's owner would start anything for anybody.
func TestPrivilegedStarts(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can make a set-user-ID file of somebody else's: its own run of the suite does")
	}
	var fs unix.Statfs_t
	if err := unix.Statfs(testbed.Scratch(t), &fs); err != nil {
		t.Fatal(err)
	}
	if fs.Flags&unix.ST_NOSUID != 0 {
		testbed.Missing(t, "setuid", "the folder of temporary files is mounted nosuid")
	}
	own := binary(t, "host", 0o755)
	code, out, errs := as(t, own, nobodyElse, start{Binary: own})
	right(t, code, out, errs)
	for _, c := range []struct {
		name string
		make func(t *testing.T) string
	}{
		{"set-user-ID", func(t *testing.T) string { return binary(t, "setuid", 0o755|os.ModeSetuid) }},
		{"set-group-ID", func(t *testing.T) string { return binary(t, "setgid", 0o755|os.ModeSetgid) }},
		{"file capability", capable},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := as(t, own, nobodyElse, start{Binary: c.make(t)})
			wrong(t, code, out, errs, "rights")
		})
	}
	t.Run("real id of another", func(t *testing.T) {
		code, out, errs := as(t, own, 0, start{Binary: own, RealUID: nobodyElse})
		wrong(t, code, out, errs, "rights")
	})
}

// capable is a copy with a capability, as setcap(8) gives it: struct vfs_cap_data, revision 2, effective.
func capable(t *testing.T) string {
	t.Helper()
	path := binary(t, "capable", 0o755)
	const netBindService = 1 << unix.CAP_NET_BIND_SERVICE >> 8
	data := []byte{1, 0, 0, 2, 0, netBindService, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	if err := unix.Setxattr(path, "security.capability", data, 0); err != nil {
		t.Fatal(err)
	}
	return path
}
