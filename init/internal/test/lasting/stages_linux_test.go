package lasting_test

import (
	"os"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Only a folder of a package, below the store of this user and through no link there, is shown.
func TestPathOfPackage(t *testing.T) {
	s := newShelf(t, "")
	npm := s.home + "/.local/share/mcp-sandbox/store/npm"
	mine := os.Geteuid()
	make := func(path string) string { s.must(os.MkdirAll(path, 0o755)); return path }
	link := func(path, to string) string {
		make(path[:strings.LastIndex(path, "/")])
		s.must(os.Symlink(to, path))
		return path
	}
	for path, said := range map[string]string{
		s.pack: "", "": "does not lie below", "npm/x/1": "does not lie below", "/etc": "does not lie below",
		s.home:                                   "does not lie below",
		s.pack + "/":                             "does not lie below",
		s.pack + "/../../../z/2.0.0-4567":        "does not lie below",
		npm + "/../../../../../../../../etc":     "does not lie below",
		npm:                                      "the folder of no package",
		npm + "/z":                               "the folder of no package",
		npm + "/z/3":                             "not in the store",
		npm + "/z/2.0.0-4567/lock":               "no folder",
		link(npm+"/l/1", s.neighbour):            "symbolic link",
		link(npm+"/m", npm+"/z") + "/2.0.0-4567": "symbolic link",
		link(npm+"/n/1", "/etc"):                 "symbolic link",
	} {
		stored := s.id()
		stored.Package.Path = path
		r := s.server(stored, "", "/bin/true")
		r.Wait()
		if (r.Code == 125) != (said != "") || !strings.Contains(r.Stderr.String(), said) {
			t.Errorf("%q: %d\n%s", path, r.Code, &r.Stderr)
		}
	}
	wide := make(npm + "/w/1")
	s.must(os.Chmod(npm+"/w", 0o777))
	foreign := ""
	if mine == 0 {
		foreign = make(npm + "/f/1")
		s.must(os.Chown(foreign, 12345, 12345))
	}
	for path, said := range map[string]string{wide: "others may write", foreign: "belongs to user 12345"} {
		stored := s.id()
		stored.Package.Path = path
		r := s.server(stored, "", "/bin/true")
		r.Wait()
		if path != "" && (r.Code != 125 || !strings.Contains(r.Stderr.String(), said)) {
			t.Errorf("%q: %d\n%s", path, r.Code, &r.Stderr)
		}
	}
}

// A home that is a symbolic link leads to the package too, by the path as it is written.
func TestPackageBelowLink(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		real := s.home
		s.home = t.TempDir() + "/link"
		s.must(os.Symlink(real, s.home))
		t.Setenv("HOME", s.home)
		stored := s.id()
		stored.Package.Path = s.home + s.pack[len(real):]
		r := s.server(stored, "", stored.Package.Path+"/program")
		r.Wait()
		if r.Code != 0 || r.Stdout.String() != "I am 1.0.0-0123\n" {
			t.Errorf("%d %q\n%s", r.Code, &r.Stdout, &r.Stderr)
		}
	})
}

// A launch that installs writes its stage, and sees nothing else of the store.
func TestStage(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		if s.begin == "limits" {
			t.Skip("limits holds no files back")
		}
		script := `cd "$1" && mkdir -p node_modules/.git && echo done >node_modules/.git/config && mv node_modules in
			cat "$2/lock" "$3/lock"; true >"$2/new"; true >"$3/new"; mkdir "$1/../t"; mv "$1" "$1.old"; ls "$1/.."; true`
		before := s.snapshot()
		r := s.server(order.Stored{Stage: s.stage}, "", "/bin/sh", "-c", script, "sh", s.stage, s.pack, s.neighbour)
		r.Wait()
		if b, err := os.ReadFile(s.stage + "/in/.git/config"); r.Code != 0 || string(b) != "done\n" {
			t.Fatalf("%d %q %v\n%s", r.Code, b, err, &r.Stderr)
		}
		if strings.Contains(r.Stdout.String(), "lock") || r.Enforced.Package != nil {
			t.Errorf("%q", &r.Stdout)
		}
		s.must(os.RemoveAll(s.stage + "/in"))
		if after := s.snapshot(); stripped(after) != stripped(before) {
			t.Errorf("the store was\n%s\nand is\n%s", before, after)
		}
	})
}

// stripped is a snapshot without the stage itself, which was written.
func stripped(snapshot string) string {
	const at = "/.local/share/mcp-sandbox/store/.stages/s/package "
	before, after, _ := strings.Cut(snapshot, at)
	_, after, _ = strings.Cut(after, "\n/")
	return before + after
}

// No policy asks for a stage, or for the folder of a package to be written.
func TestStageIsRefused(t *testing.T) {
	s := newShelf(t, "")
	for name, c := range map[string]struct {
		stored     order.Stored
		level      string
		filesystem string
	}{
		"policy":          {order.Stored{}, "standard", `"allowWrite":["` + s.stage + `"]`},
		"policy, package": {s.id(), "standard", `"allowWrite":["` + s.pack + `"]`},
		"policy, above":   {s.id(), "standard", `"allowWrite":["` + s.home + `/.local/share/mcp-sandbox"]`},
		"level strict":    {order.Stored{Stage: s.stage}, "strict", ""},
		"outside":         {order.Stored{Stage: t.TempDir()}, "standard", ""},
		"several":         {order.Stored{Stage: s.home + "/.local/share/mcp-sandbox/store/.stages/s"}, "standard", ""},
		"the store":       {order.Stored{Stage: s.home + "/.local/share/mcp-sandbox/store"}, "standard", ""},
		"control":         {order.Stored{Stage: s.stage}, "standard", ""},
	} {
		doc := `{"version":1,"level":"` + c.level + `","minConfinement":"full","filesystem":{` + c.filesystem + `}}`
		r := host.Finish(t, host.Launch{Policy: doc, Command: []string{"/bin/true"}, Stored: c.stored}.Cmd(t))
		if (r.Code == 125) == (name == "control") {
			t.Errorf("%s: %d\n%s", name, r.Code, &r.Stderr)
		}
	}
}

// The servers of a root launcher come to no package without namespaces, and cannot install.
func TestNoPackageWithoutNamespaces(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's servers are another user")
	}
	for _, begin := range []string{"reduced", "limits"} {
		s := newShelf(t, begin)
		for name, stored := range map[string]order.Stored{"package": s.id(), "stage": {Stage: s.stage}} {
			r := s.server(stored, "", "/bin/true")
			r.Wait()
			if r.Code != 125 || !strings.Contains(r.Stderr.String(), "cannot enter root's folders") {
				t.Errorf("%s, %s: %d\n%s", begin, name, r.Code, &r.Stderr)
			}
		}
		if s.must(os.Chown(s.stage, 0, 0)); s.begin != "" {
			s.begin = ""
			if r := s.server(order.Stored{Stage: s.stage}, "", "/bin/true"); r != nil {
				r.Wait()
				if r.Code != 125 || !strings.Contains(r.Stderr.String(), "belongs to user 0, and not to user 65533") {
					t.Errorf("%d\n%s", r.Code, &r.Stderr)
				}
			}
		}
	}
}
