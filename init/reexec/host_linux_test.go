package reexec_test

import (
	"os"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A shim by execve takes the host that it is handed: where that has ended meanwhile, as while a package was installed,
// no server is started. What is no process is no host.
func TestHandedHost(t *testing.T) {
	own := testbed.Copy(t, 0o755)
	gone := exec.Command("/bin/true")
	if err := gone.Start(); err != nil {
		t.Fatal(err)
	}
	ended, err := unix.PidfdOpen(gone.Process.Pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	gone.Wait()
	lives, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, word string
		host       *os.File
		why        string // "": the server runs
	}{
		{"it lives", "3,4", os.NewFile(uintptr(lives), "host"), ""},
		{"it has ended", "3,4", os.NewFile(uintptr(ended), "host"), "the host ended"},
		{"no process", "3,4", file, "arguments"},
		{"nothing", "3,9", file, "arguments"},
		{"no number", "3,x", file, "arguments"},
		{"none", "3,", file, "arguments"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start{}
			order, err := s.order()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(own)
			cmd.Args = []string{reexec.Name, reexec.BySelf, c.word}
			cmd.Env, cmd.Dir, cmd.ExtraFiles = reexec.ChildEnv(), "/", []*os.File{order, c.host}
			code, out, errs := testbed.Finish(t, cmd)
			if c.why == "" {
				right(t, code, out, errs)
			} else {
				wrong(t, code, out, errs, c.why)
			}
		})
	}
}
