package shim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A mount of the host's that comes along with a write grant is held as a folder is: where a protected or denied path is
// a mount itself, below such a path, and on the way to one. Beside it the grant is written.
func TestMountsInAGrantAreHeld(t *testing.T) {
	for _, c := range []struct {
		name, at string
		deny     string // more of the policy
		held     string // a path that the server may not make
		free     string // and one that it may
		says     string
	}{
		{name: "a protected folder", at: "write/.git", held: "write/.git/x", free: "write/x", says: "Read-only"},
		{name: "below a protected folder", at: "write/.git/hooks", held: "write/.git/hooks/x", free: "write/x", says: "Read-only"},
		{name: "a protected file", at: "write/.mcp.json", held: "write/.mcp.json", free: "write/x", says: "Read-only"},
		{name: "the folder of one", at: "write/deep", held: "write/deep/.git/x", free: "write/deep/x", says: "Read-only"},
		{name: "a folder that may not be written", at: "write/frozen", deny: `,"denyWrite":["STAGE/write/frozen"]`,
			held: "write/frozen/x", free: "write/x", says: "Read-only"},
		{name: "below one", at: "write/frozen/below", deny: `,"denyWrite":["STAGE/write/frozen"]`,
			held: "write/frozen/below/x", free: "write/x", says: "Read-only"},
		{name: "a denied folder", at: "write/frozen", deny: `,"denyRead":["STAGE/write/frozen"]`,
			held: "write/frozen/x", free: "write/x", says: "Read-only"},
		{name: "below a denied folder", at: "write/frozen/below", deny: `,"denyRead":["STAGE/write/frozen"]`,
			held: "write/frozen/below/x", free: "write/x", says: "nonexistent"},
		{name: "control", at: "write/frozen", held: "read/x", free: "write/frozen/x", says: "Read-only"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "")
			other := s.Path("outer/mounted")
			script := `mkdir -p outer/mounted/.git write/frozen/below; : >write/.mcp.json; chmod -R a+rwX outer/mounted write`
			if strings.HasSuffix(c.at, ".json") {
				other = s.Path("write/note")
			}
			prepare := exec.Command("/bin/sh", "-c", script)
			prepare.Dir = s.Dir
			if out, err := prepare.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			doc := `{"version":1,"minConfinement":"full","filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write"]` +
				c.deny + `}}`
			l := launch{Launch: host.Launch{Policy: s.Policy(doc),
				Command: []string{"/bin/sh", "-c", `for f; do (echo z >"$f") 2>&1; done`, "sh", s.Path(c.held), s.Path(c.free)}},
				Env: []string{"HOME=" + s.Path("home"), "PATH=/usr/bin:/bin"}, Dir: s.Dir}
			l.Prepare = func(cmd *exec.Cmd) {
				testbed.Machine{At: other, Shown: s.Path(c.at), Root: os.Geteuid() == 0 && c.deny == ""}.Put(t, cmd)
			}
			o := altered.Run(t, l)
			if n := strings.Count(o.Stdout, "\n"); o.Code != 0 || n != 1 || !strings.Contains(o.Stdout, c.says) {
				t.Errorf("code %d\n%s\n%s\n%v", o.Code, o.Stdout, o.Stderr, o.Report)
			}
		})
	}
}
