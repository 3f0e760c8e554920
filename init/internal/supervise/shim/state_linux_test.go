package shim_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// The folder that the launcher opened and locked is the one that is mounted: another in its place, a link to it, or another
// folder above it has the launch refused. A root launcher hands over a descriptor that it opened before the swap.
func TestSwappedStateIsRefused(t *testing.T) {
	want, event := 125, "refused"
	if os.Geteuid() == 0 {
		want, event = 0, "exited"
	}
	for _, confinement := range []string{"full", "reduced"} {
		if confinement == "reduced" && os.Geteuid() == 0 {
			continue // root's server cannot enter root's folders
		}
		states := t.TempDir()
		t.Setenv("XDG_STATE_HOME", states)
		s := build(t, "/var/tmp")
		doc := `{"version":1,"minConfinement":"` + confinement + `","state":"acme","filesystem":{"allowWrite":["STAGE/write"]}}`
		start := func(mark, swapped string) *outcome {
			l := s.Launch(doc, mark)
			l.Swap = swapped
			if confinement == "full" {
				l.Begin = ""
			}
			o := altered.Run(t, l)
			return &o
		}
		if o := start("control", ""); o.Code != 0 || !s.Ran(o, "control") {
			t.Fatalf("%s: status %d\n%s", confinement, o.Code, o.Stderr)
		}
		root := states + "/mcp-sandbox/state"
		for name, plant := range map[string]func() (string, error){
			"folder": func() (string, error) { return root + "/acme", os.Mkdir(root+"/acme.other", 0o700) },
			"link":   func() (string, error) { return root + "/acme", os.Symlink(root+"/acme.other", root+"/acme.other") },
			"above":  func() (string, error) { return root, os.MkdirAll(root+".other/acme", 0o700) },
		} {
			at, err := plant()
			if err != nil {
				t.Fatal(err)
			}
			if o := start(name, at); o.Code != want || s.Ran(o, name) != (want == 0) || o.Event() != event {
				t.Errorf("%s, %s: status %d, %s\n%s", confinement, name, o.Code, o.Event(), o.Stderr)
			}
			altered.Swap(at)
			os.RemoveAll(at + ".other")
		}
	}
}

// So it is with the folders of a launch that starts from a package, or installs one.
func TestSwappedPackageIsRefused(t *testing.T) {
	want, event := 125, "refused"
	if os.Geteuid() == 0 {
		want, event = 0, "exited"
	}
	for _, confinement := range []string{"full", "reduced"} {
		if confinement == "reduced" && os.Geteuid() == 0 {
			continue // root's server cannot enter root's folders
		}
		doc := `{"version":1,` + altered.FromStore + `,"minConfinement":"` + confinement + `","filesystem":{"allowWrite":["STAGE/write"]}}`
		for _, name := range []string{"control", "package", "package by a link", "stage", "above"} {
			s := build(t, "/var/tmp")
			l := s.Launch(doc, "mark")
			if confinement == "full" {
				l.Begin = ""
			}
			switch name {
			case "package", "package by a link":
				l.Swap = l.Package.Path
			case "stage":
				l.Swap = l.Stage
			case "above":
				l.Swap = filepath.Dir(l.Stage)
			}
			var err error
			switch name {
			case "control":
			case "package by a link":
				err = os.Symlink(l.Swap+".other", l.Swap+".other")
			default:
				err = os.MkdirAll(l.Swap+".other/package", 0o755)
			}
			if err != nil {
				t.Fatal(err)
			}
			o := altered.Run(t, l)
			code, last := want, event
			if name == "control" {
				code, last = 0, "exited"
			}
			if o.Code != code || s.Ran(&o, "mark") != (code == 0) || o.Event() != last {
				t.Errorf("%s, %s: status %d, %s\n%s", confinement, name, o.Code, o.Event(), o.Stderr)
			}
		}
	}
}
