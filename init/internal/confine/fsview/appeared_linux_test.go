package fsview

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

// What was there at the start did not appear, though it was no part of the search then, or has too much to be searched.
func TestAppearedIsTrue(t *testing.T) {
	for _, c := range []struct {
		name       string
		wish       wish
		before, n  int // folders before, and at the end
		unfinished string
	}{
		{"a grant in a grant", wish{write: []string{"T/p", "T/p/many"}}, 150, 150, ""},
		{"a denial in a grant", wish{write: []string{"T/p"}, noWrite: []string{"T/p/many"}}, 150, 150, ""},
		{"too many from the start", wish{write: []string{"T/p"}}, 250, 250, ""},
		{"too many at the end", wish{write: []string{"T/p"}}, 150, 250, "T/p/many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, "home/\n p/many/\n p/a/b/\n p/a/c/")
			many(t, root+"/p/many/%03d", c.before, folderAt)
			many(t, root+"/p/a/b/%02d", 60, folderAt)
			r := c.wish.request(root)
			r.bounds.folders = 200
			v, err := Plan(r)
			must(t, err)
			for i := c.before; i < c.n; i++ {
				must(t, folderAt(fmt.Sprintf("%s/p/many/%03d", root, i)))
			}
			must(t, os.Mkdir(root+"/p/a/.git", 0o755)) // the control
			got, _, unfinished := v.Appeared(time.Minute)
			same(t, "appeared", relative(root, got), lines("T/p/a/.git"))
			if unfinished = strings.ReplaceAll(unfinished, root, "T"); unfinished != c.unfinished {
				t.Errorf("unfinished %q, want %q", unfinished, c.unfinished)
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

// A fault in the second thread of a search is its caller's, who may recover.
func TestFaultOfASearch(t *testing.T) {
	root := plant(t, "p/a/x\n p/b/x")
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	caller, second := unix.Gettid(), make(chan struct{})
	s := search{buf: make([]byte, 8<<10), left: 2 * worthThread, skip: func(string) bool {
		if unix.Gettid() == caller {
			<-second
			return true
		}
		close(second)
		panic("a fault")
	}}
	names := make([]string, worthThread)
	defer func() {
		if fault := recover(); fault != "a fault" {
			t.Errorf("the caller has %v", fault)
		}
	}()
	s.searchFolders([]searched{{path: root + "/p/a", names: names}, {path: root + "/p/b", names: names}}, 1)
}
