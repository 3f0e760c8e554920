package lasting_test

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// What plan and why say of the store is what a server finds there.
func TestPackageIsExplained(t *testing.T) {
	for _, begin := range []string{"", "reduced"} {
		if begin != "" && os.Geteuid() == 0 {
			continue // root's server is another user, who cannot enter root's folders
		}
		s := newShelf(t, begin)
		s.must(os.Chmod(s.pack+"/lock", 0o666))
		built := func(stored order.Stored) *order.Order {
			doc := `{"version":1,"minConfinement":"` + orFull(begin) + `"}`
			o, err := host.Launch{Policy: doc, Begin: begin, Command: []string{s.pack + "/program"}, Stored: stored}.Build()
			s.must(err)
			return o
		}
		o := built(s.id())
		o.Stage = s.stage
		p, err := ask.Plan(o)
		s.must(err)
		seen := map[string]order.Seen{}
		for _, path := range p.Sees {
			seen[path.Path] = path
		}
		if got := seen[s.pack]; got.Mode != order.CanRead || got.Why != order.WhyPackage {
			t.Errorf("%q, the package: %+v", begin, got)
		}
		if got := seen[s.stage]; got.Mode != order.CanWrite || got.Why != order.WhyStage {
			t.Errorf("%q, the stage: %+v", begin, got)
		}
		for _, c := range []struct {
			path    string
			op      order.Op
			allowed order.Allowance
			said    string
		}{
			{s.pack + "/lock", order.OpRead, order.ActAllowed, "it is of the package of this launch"},
			{s.pack + "/program", order.OpExec, order.ActAllowed, "it is of the package of this launch"},
			{s.pack + "/lock", order.OpWrite, order.ActDenied, "is read-only: it is of the package of this launch"},
			{s.stage + "/new", order.OpWrite, order.ActAllowed, "the package is installed there"},
			{s.neighbour + "/lock", order.OpRead, order.ActDenied, ""},
		} {
			a, err := ask.Why(o, order.Question{Path: c.path, Op: c.op})
			if err != nil || a.Allowed != c.allowed || !strings.Contains(a.Text, c.said) {
				t.Errorf("%q, %s %s: %+v, %v", begin, c.op, c.path, a, err)
			}
			if c.op == order.OpWrite && len(a.Patch) > 0 {
				t.Errorf("%q, %s: no policy opens the package: %+v", begin, c.path, a)
			}
		}
		if _, err := ask.Plan(built(order.Stored{Package: &order.PackageID{Path: s.home}})); err == nil {
			t.Errorf("%q: a plan of a package outside of the store", begin)
		}
	}
}

// A home that lasts and a package go together, also when the server has filled the home and the package is a newer one.
func TestPackageAndState(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		for _, pack := range []string{s.pack, s.pack, s.neighbour} {
			stored := s.id()
			stored.Package.Path = pack
			doc := `{"version":1,"minConfinement":"` + orFull(s.begin) + `","state":"` + name + `"}`
			script := `mkdir -p ~/.local/share/own && echo more >>~/.local/share/own/file && wc -l <~/.local/share/own/file && sh "$1/program"`
			r := s.launch(host.Launch{Policy: doc, Command: []string{"/bin/sh", "-c", script, "sh", pack}, Stored: stored})
			if r.Wait(); r.Code != 0 || !strings.Contains(r.Stdout.String(), "I am "+pack[strings.LastIndex(pack, "/")+1:]) {
				t.Errorf("%s: %d %q\n%s", pack, r.Code, &r.Stdout, &r.Stderr)
			}
		}
	})
}
