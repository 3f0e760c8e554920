//go:build darwin || linux

package store

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// What came in place of the exact version that was asked for, or of the package, is not kept.
func TestAnotherThanAskedFor(t *testing.T) {
	for _, c := range []struct{ spec, name, version, want string }{
		{"npm:server@1.0.0", "server", "1.0.0", ""},
		{"npm:server@1.0.0+build", "server", "1.0.0", ""},
		{"npm:server@^1", "server", "1.9.0", ""},
		{"npm:server@1.0.0", "server", "1.0.1", "server 1.0.1 was installed in place of 1.0.0"},
		{"npm:server@1.0.0", "server", "1.0.0-1", "in place of 1.0.0"},
		{"npm:server@1.0.0", "other", "1.0.0", "was not asked for"},
		{"npm:server@^1", "server", "../1", "cannot be kept"},
		{"npm:server@^1", "../server", "1.0.0", "no name that the store can keep"},
	} {
		s := openIn(t, tempHome(t))
		g, err := s.Begin(t.Context(), wantedOf(t, c.spec), nil)
		if err != nil {
			t.Fatal(err)
		}
		fill(t, g.Folder, "lock")
		_, err = g.Commit(installed(c.name, c.version))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, and %s came: %v, want %q", c.spec, c.version, err, c.want)
		}
		if err := g.Abort(); err != nil {
			t.Error(err)
		}
		if all, _, err := s.List(); err != nil || (len(all) == 1) != (c.want == "") {
			t.Errorf("%s, and %s came: in the store is %v, %v", c.spec, c.version, all, err)
		}
	}
}

// A record with other words than those that are looked for says nothing of these.
func TestRecordOfOtherWords(t *testing.T) {
	s := openIn(t, tempHome(t))
	made := install(t, s, "npm:server@^1", installed("server", "1.0.0"), "lock")
	own, other := wantedOf(t, "npm:server@^1"), wantedOf(t, "npm:server@^2")
	of := func(w Wanted) string { return s.Path + "/.specs/" + w.asked().id() }
	text, err := os.ReadFile(of(own))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(of(other), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Find(own, 0); err != nil || p.Path != made.Path {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := s.Find(other, 0); !errors.Is(err, ErrNone) {
		t.Errorf("by the record of ^1: %+v, %v", p, err)
	}
	if err := os.WriteFile(of(other), []byte(strings.Replace(string(text), "^1", "^2", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := s.Find(other, 0); err != nil || p.Path != made.Path {
		t.Errorf("by a record of its own: %+v, %v", p, err)
	}
}

// A package that is asked for between the look of a prune and its removal stays.
func TestPruneSparesWhatCame(t *testing.T) {
	s := openIn(t, tempHome(t))
	old := install(t, s, "npm:server", installed("server", "1.0.0"), "one")
	install(t, s, "npm:server", installed("server", "1.1.0"), "two")
	if err := s.Remember(Resolution{Manager: "npm", Specs: []string{"npm:server@1"}, Path: old.Path}); err != nil {
		t.Fatal(err)
	}
	if err := old.remove(true); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if err := old.Check(); err != nil {
		t.Error(err)
	}
	if err := old.Remove(); err != nil {
		t.Error(err)
	}
}
