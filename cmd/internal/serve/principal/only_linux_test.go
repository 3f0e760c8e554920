package principal

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A connection of another user is hung up on before it counts, and that of one who may come is let in.
func TestOnly(t *testing.T) {
	for _, c := range []struct {
		uid  int
		want string
	}{{os.Getuid(), "let in"}, {os.Getuid() + 1, ""}} {
		whole, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Fatal(err)
		}
		l := Only(whole, c.uid)
		go func() {
			if in, err := l.Accept(); err == nil {
				io.WriteString(in, "let in")
				in.Close()
			}
		}()
		out, err := net.Dial("unix", whole.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		out.SetReadDeadline(time.Now().Add(testbed.Patience()))
		if got, err := io.ReadAll(out); err != nil || string(got) != c.want {
			t.Errorf("%d: %q, %v", c.uid, got, err)
		}
		out.Close()
		l.Close()
	}
}
