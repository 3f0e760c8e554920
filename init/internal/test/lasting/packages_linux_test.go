package lasting_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A shelf is the store of a house: a package, one beside it, and a stage.
type shelf struct {
	*house
	pack, neighbour, stage string
}

func newShelf(t *testing.T, begin string) *shelf {
	t.Setenv("XDG_DATA_HOME", "")
	return fill(newHouse(t, begin))
}

// fill makes the store of a house.
func fill(h *house) *shelf {
	h.Setenv("HOME", h.home)
	store := h.home + "/.local/share/mcp-sandbox/store"
	s := &shelf{h, store + "/npm/@x/y/1.0.0-0123", store + "/npm/z/2.0.0-4567", store + "/.stages/s/package"}
	for _, folder := range []string{s.pack, s.neighbour, s.stage} {
		h.must(os.MkdirAll(folder, 0o700))
	}
	for _, folder := range []string{s.pack, s.neighbour} {
		h.must(os.WriteFile(folder+"/program", []byte("#!/bin/sh\necho I am "+filepath.Base(folder)+"\n"), 0o755))
		h.must(os.WriteFile(folder+"/lock", []byte("lock\n"), 0o644))
		h.must(os.Chmod(folder, 0o755))
	}
	if os.Geteuid() == 0 {
		h.must(os.Chown(s.stage, 65533, 65533))
	}
	return s
}

func (h *house) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// server starts a server with what is stored, and grants besides.
func (s *shelf) server(stored order.Stored, filesystem string, command ...string) *host.Run {
	s.Helper()
	doc := `{"version":1,"minConfinement":"` + orFull(s.begin) + `","filesystem":{` + filesystem + `}}`
	return s.launch(host.Launch{Policy: doc, Command: command, Stored: stored})
}

func (s *shelf) id() order.Stored {
	return order.Stored{Profile: "npm:@x/y", Package: &order.PackageID{Manager: "npm", Spec: "npm:@x/y", Name: "@x/y",
		Version: "1.0.0", Integrity: "sha512-x", Registry: "registry.example", Path: s.pack}}
}

// eachShelf tries a test in each confinement in which this user's server can come to the store.
func eachShelf(t *testing.T, try func(t *testing.T, s *shelf)) {
	each(t, func(t *testing.T, h *house) { try(t, newShelf(t, h.begin)) })
}

// A package's program runs from its folder, which the report names, and beside that the server sees nothing of the store.
func TestPackageIsSeen(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		r := s.server(s.id(), "", s.pack+"/program")
		r.Wait()
		if r.Code != 0 || r.Stdout.String() != "I am 1.0.0-0123\n" {
			t.Fatalf("%d %q\n%s", r.Code, &r.Stdout, &r.Stderr)
		}
		if e := r.Enforced; *e.Package != *s.id().Package || e.Profile != "npm:@x/y" ||
			s.begin != "limits" && !slices.Equal(e.ImpliedGrants, []string{s.pack}) {
			t.Errorf("%+v", e)
		}
		if s.begin != "" {
			return // no mount
		}
		is := func(f *order.Fact) bool { return f.Name == "mount "+s.pack }
		// What is mounted noexec on the host stays so, and then the program above could not run.
		if f := r.Enforced.Layer(order.Root).Fact(is); f == nil || f.Want != "ro,nosuid,nodev" || f.Got != f.Want {
			t.Errorf("%+v", f)
		}
	})
}

// What the policy grants around the store, or the host's root as a whole, shows no other package, and lets the server
// change neither: not by another name, and not by a process's links.
func TestNeighbourIsHidden(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		if s.begin == "limits" {
			t.Skip("limits holds no files back")
		}
		s.home = visible(t)
		s = fill(s.house)
		data := s.home + "/.local/share"
		for name, grants := range map[string]string{
			"nothing": "", "host": `"default":"read"`, "home": `"allowRead":["` + s.home + `"]`,
			"home to write": `"allowWrite":["` + s.home + `"]`, "data": `"allowRead":["` + data + `"]`,
			"denied above": `"allowRead":["` + s.home + `"],"denyRead":["` + s.home + `/.local"]`,
		} {
			s.must(os.Chmod(s.home, 0o755))
			s.must(os.Chmod(data, 0o755))
			before := s.snapshot()
			r := s.server(s.id(), grants, testbed.Self(t, "attacker"), attackIs, s.pack, s.neighbour, s.home)
			r.Wait()
			said := r.Stdout.String()
			if after := s.snapshot(); after != before {
				t.Fatalf("%s: the store was\n%s\nand is\n%s", name, before, after)
			}
			switch {
			case name == "home to write" && (s.begin != "" || os.Geteuid() == 0):
				if r.Code != 125 {
					t.Errorf("%s: %d\n%s", name, r.Code, &r.Stderr)
				}
				continue
			case r.Code != 0, !strings.Contains(said, "mine\n"), !strings.Contains(said, "I am 1.0.0-0123\n"):
				t.Errorf("%s: %d %q\n%s", name, r.Code, said, &r.Stderr)
			}
			if hides := s.begin == "" || name == "nothing"; hides == strings.Contains(said, "lock\n") ||
				hides == strings.Contains(said, "z\n") {
				t.Errorf("%s: %q\n%s", name, said, &r.Stderr)
			}
			if !slices.Contains(r.Enforced.ImpliedGrants, s.pack) && (s.begin == "" || name == "nothing") {
				t.Errorf("%s: %q", name, r.Enforced.ImpliedGrants)
			}
		}
	})
}

// snapshot is everything in the store, with what the confinement holds of each file.
func (s *shelf) snapshot() string {
	var b strings.Builder
	s.must(filepath.WalkDir(s.home+"/.local/share/mcp-sandbox", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := []byte(nil)
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		fmt.Fprintln(&b, path[len(s.home):], info.Mode().Type(), string(text))
		if s.begin == "" { // Landlock holds back neither chmod(2) nor utimensat(2)
			fmt.Fprintln(&b, info.Mode(), info.ModTime(), info.Sys().(*syscall.Stat_t).Ctim)
		}
		return err
	}))
	return b.String()
}
