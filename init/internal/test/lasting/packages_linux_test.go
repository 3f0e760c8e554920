package lasting_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A shelf is the store of a house: a package, one beside it, and a stage.
type shelf struct {
	*house
	pack, neighbour, stage string
}

func newShelf(t *testing.T, begin string) *shelf {
	h := newHouse(t, begin)
	t.Setenv("XDG_DATA_HOME", "")
	store := h.home + "/.local/share/mcp-sandbox/store"
	s := &shelf{h, store + "/npm/@x/y/1.0.0-0123", store + "/npm/z/2.0.0-4567", store + "/stages/s"}
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
	cmd := host.Order{Policy: doc, Begin: s.begin, Command: command, Stored: stored}.Cmd(s)
	cmd.Env = append(os.Environ(), "PATH=/usr/bin:/bin")
	return host.Start(s, cmd)
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
	})
}
