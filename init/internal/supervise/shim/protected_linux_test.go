package shim_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

const writes = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]}}`

// script is a launch of a shell with a write grant.
func (s stage) script(text string) launch {
	l := s.Launch(writes, "mark")
	l.Command = []string{"/bin/sh", "-c", strings.ReplaceAll(text, "P/", s.Path("write")+"/")}
	return l
}

// A server writes nothing of a repository in its next session that it could not write in this one.
func TestNextSession(t *testing.T) {
	for _, c := range []struct{ name, first, next, target string }{
		{"control", ":", "echo x >P/free", "free"},
		{"the folder above it", "chmod 600 P/deep", "chmod 755 P/deep; echo x >P/deep/.git/x", "deep/.git/x"},
		{"a folder that nobody may list", "chmod 300 P/deep", "echo x >P/deep/.git/x", "deep/.git/x"},
		{"itself", "chmod 0 P/.git", "chmod 755 P/.git; echo x >P/.git/x", ".git/x"},
		{"many files beside it", "i=0; while [ $i -lt 10100 ]; do : >P/f$i; i=$((i+1)); done", "echo x >P/deep/.git/x", "deep/.git/x"},
		{"a link", "rm P/.vscode", "rm P/.vscode; mv P/.vscode P/was; mkdir P/.vscode; echo x >P/.vscode/x", ".vscode/x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "/var/tmp")
			if err := os.Symlink("real", s.Path("write/.vscode")); err != nil {
				t.Fatal(err)
			}
			os.Mkdir(s.Path("write/real"), 0o777)
			os.Chmod(s.Path("write/real"), 0o777)
			for _, text := range []string{c.first + " 2>/dev/null; exit 0", c.next + " 2>/dev/null; exit 0"} {
				if o := altered.Run(t, s.script(text)); o.Code != 0 {
					t.Fatalf("code %d\n%v\n%s", o.Code, o.Report, o.Stderr)
				}
			}
			filepath.WalkDir(s.Dir, func(path string, _ os.DirEntry, _ error) error { return os.Chmod(path, 0o777) })
			_, err := os.Stat(s.Path("write/" + c.target))
			if written := err == nil; written != (c.name == "control") {
				t.Errorf("%s was written: %v", c.target, written)
			}
		})
	}
}

// What runs code on the host and was not there at the start is told at the end.
func TestAppeared(t *testing.T) {
	for _, c := range []struct {
		name, script string
		want         []string
		line         string
	}{
		{"nothing", "mkdir P/new; : >P/new/file", nil, ""},
		{"names", "mkdir P/.vscode P/new P/new/.git; : >P/.mcp.json", []string{".mcp.json", ".vscode", "new/.git"}, " and 2 more appeared"},
		{"a file and a link", "mkdir P/new; echo gitdir: x >P/new/.git; ln -s x P/.claude", []string{".claude", "new/.git"}, " and 1 more appeared"},
		{"a folder that nobody may enter", "mkdir -p P/new/.git; chmod 0 P/new", []string{"new"}, "write/new appeared"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "/var/tmp")
			o := altered.Run(t, s.script(c.script))
			os.Chmod(s.Path("write/new"), 0o700) // or an ordinary user could not remove the stage
			if o.Code != 0 {
				t.Fatalf("code %d\n%v\n%s", o.Code, o.Report, o.Stderr)
			}
			if os.Getuid() == 0 && c.name == "a folder that nobody may enter" {
				c.want, c.line = []string{"new/.git"}, "new/.git appeared"
			}
			var want []string
			for _, w := range c.want {
				want = append(want, s.Path("write/"+w))
			}
			if got := o.Told("exited", "appeared"); !slices.Equal(got, want) {
				t.Errorf("appeared: %q, want %q", got, want)
			}
			if !strings.Contains(o.Stderr, c.line) || c.line == "" && strings.Contains(o.Stderr, "appeared") {
				t.Errorf("standard error: %q, want %q", o.Stderr, c.line)
			}
		})
	}
	t.Run("in reduced", func(t *testing.T) { // where nothing is held, and what was there before is not told
		s := build(t, "/var/tmp")
		l := s.script("mkdir P/new P/new/.git; echo x >P/.git/x; : >P/.mcp.json")
		doc := altered.Weaker(writes, "reduced")
		l.Policy, l.Begin = s.Policy(doc), altered.Begin(doc)
		o := altered.Run(t, l)
		if o.Code != 0 {
			t.Fatalf("code %d\n%v\n%s", o.Code, o.Report, o.Stderr)
		}
		if got, want := o.Told("exited", "appeared"), []string{s.Path("write/.mcp.json"), s.Path("write/new/.git")}; !slices.Equal(got, want) {
			t.Errorf("appeared: %q, want %q", got, want)
		}
	})
	t.Run("many with long names", func(t *testing.T) {
		o := altered.Run(t, build(t, "/var/tmp").script(`n=$(printf %0240d 0); i=0; while [ $i -lt 200 ]; do mkdir -p P/$n$i/.git; i=$((i+1)); done`))
		got := o.Told("exited", "appeared")
		if o.Code != 0 || len(got) == 0 || len(strings.Join(got, "")) > 16<<10 || !strings.Contains(o.Stderr, " and 199 more appeared") {
			t.Errorf("code %d, %d paths of %d bytes, %q", o.Code, len(got), len(strings.Join(got, "")), o.Stderr)
		}
		for line := range strings.Lines(o.Stderr) {
			if strings.Contains(line, "appeared") && len("mcp-sandbox: "+line) > 201 {
				t.Errorf("a line of %d bytes: %q", len(line), line)
			}
		}
	})
}
