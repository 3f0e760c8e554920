package fsview

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestAppeared(t *testing.T) {
	const tree = "home/.bashrc\n p/.git/x\n p/a/.vscode/x\n p/w/.git = gitdir: ../later\n p/f -> .git\n p/.cursor -> nowhere"
	for _, c := range []struct {
		name  string
		wish  wish
		later string
		want  string
	}{
		{"nothing", wish{write: []string{"T/p"}}, "p/new/file", ""},
		{"names", wish{write: []string{"T/p"}}, "p/.claude/x\n p/b/c/d/.git\n p/b/c/d/e/.git/x\n p/node_modules/m/.git/x\n p/a/.idea -> x", "T/p/.claude\n T/p/a/.idea\n T/p/b/c/d/.git"},
		{"a repository that a file named", wish{write: []string{"T/p"}}, "p/later/HEAD", "T/p/later"},
		{"what a link led to", wish{write: []string{"T/p"}}, "p/nowhere/mcp.json", "T/p/.cursor"},
		{"in a home", wish{write: []string{"T/home"}}, "home/.zshrc\n home/.config/fish/x\n home/.bashrc", "T/home/.zshrc\n T/home/.config/fish"},
		{"nothing of a read grant", wish{read: []string{"T/p"}}, "p/.claude/x", ""},
		{"nor in strict", wish{write: []string{"T/p"}, level: "strict"}, "p/.claude/x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			v, err := Plan(c.wish.request(root))
			must(t, err)
			later := plant(t, c.later)
			must(t, filepath.WalkDir(later, func(path string, d os.DirEntry, err error) error {
				at := root + strings.TrimPrefix(path, later)
				if err != nil || path == later {
					return err
				}
				if d.IsDir() {
					return os.MkdirAll(at, 0o755)
				}
				os.Remove(at)
				return os.Rename(path, at)
			}))
			got, more, unfinished := v.Appeared(time.Second)
			same(t, "appeared", relative(root, got), lines(c.want))
			if more != 0 || unfinished != "" {
				t.Errorf("%d more, %q", more, unfinished)
			}
		})
	}
}

// What there was no time for is not told as what appeared.
func TestAppearedInTime(t *testing.T) {
	root := plant(t, "p/a/x\n p/b/x")
	s := search{buf: make([]byte, 8<<10), left: 10, until: time.Now().Add(-time.Second), skip: func(string) bool { return false }}
	if err := s.tree(root + "/p"); !errors.Is(err, errLate) || len(s.found) > 0 {
		t.Errorf("%v, %v", err, s.found)
	}
	s.searchFolders([]searched{{path: root + "/p", names: []string{"a", "b"}}}, 1)
	if len(s.found) > 0 {
		t.Errorf("%v", s.found)
	}
}
