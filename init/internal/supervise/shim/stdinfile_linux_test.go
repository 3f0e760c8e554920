package shim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// defaces tries every way from standard input to the file behind it.
const defaces = `for f in /proc/self/fd/0 /dev/stdin /dev/fd/0; do { echo forged >$f; echo forged >>$f; } 2>/dev/null; done; : <&0`

// A file on standard input is never the server's, and not only because Landlock would refuse to open it again: without
// Landlock, and in limits, the server has a pipe as well, which is read back in its own process.
func TestFileOnStdinWithoutLandlock(t *testing.T) {
	const kept = "what the host has\n"
	s := build(t, "")
	fresh := func(t *testing.T) *os.File {
		path := s.Path("read/input")
		os.Remove(path)
		if err := os.WriteFile(path, []byte(kept), 0o666); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, 0o666)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	for name, doc := range map[string]string{"full": grants, "limits": altered.Weaker(grants, "limits")} {
		t.Run(name, func(t *testing.T) {
			f := fresh(t)
			l := s.Launch(doc, "mark")
			l.Command, l.ABI = []string{"/bin/sh", "-c", defaces + "; echo ran"}, -1
			l.Prepare = func(cmd *exec.Cmd) { cmd.Stdin = f }
			o := handedOver{outcome: altered.Run(t, l)}
			text, err := os.ReadFile(f.Name())
			if err != nil || string(text) != kept || o.Code != 0 || o.Stdout != "ran\n" || !strings.HasPrefix(o.fact("standard input"), "pipe:[") {
				t.Errorf("the file is %q, %v; code %d, %q, standard input is %q\n%s", text, err, o.Code, o.Stdout, o.fact("standard input"), o.Stderr)
			}
		})
	}
	f := fresh(t) // without a sandbox it goes
	cmd := exec.Command("/bin/sh", "-c", defaces)
	cmd.Stdin = f
	cmd.Run()
	if text, err := os.ReadFile(f.Name()); err != nil || string(text) == kept {
		t.Errorf("outside: the file is %q, %v", text, err)
	}
}
