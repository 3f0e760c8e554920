package store

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// The second start waits, says so after two seconds, and finds what the first installed.
func TestSecondStartWaits(t *testing.T) {
	home := tempHome(t)
	first, second := as(t, "install once", home, "WAIT=1"), as(t, "install once", home)
	in, err := first.StdinPipe()
	do(t, err)
	out, err := first.StdoutPipe()
	do(t, err, first.Start())
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "installing\n" {
		t.Fatal(line)
	}
	out, err = second.StdoutPipe()
	began := time.Now()
	do(t, err, second.Start())
	lines := bufio.NewReader(out)
	line, _ := lines.ReadString('\n')
	if took := time.Since(began); line != "another mcp-sandbox installs npm:@x/server: waiting for its end\n" ||
		took < 2*time.Second {
		t.Errorf("%q after %v", line, took)
	}
	in.Close()
	rest, _ := io.ReadAll(lines)
	if string(rest) != "found\n" {
		t.Errorf("%q", rest)
	}
	do(t, first.Wait(), second.Wait())
}

func TestWaitingEnds(t *testing.T) {
	s := openIn(t, tempHome(t))
	g := begun(t, s)
	other, err := s.Begin(t.Context(), wantedOf(t, "npm:other"), nil) // which nobody installs
	do(t, err, other.Abort())
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := s.Begin(ctx, wantedOf(t, "npm:server@2.0.0"), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	do(t, g.Abort())
	g, err = s.Begin(t.Context(), wantedOf(t, "npm:server@2.0.0"), nil)
	do(t, err, g.Abort())
}

// A killed install's locks go with its process: its stage is removed at once, and a living one's never.
func TestStageOfTheKilled(t *testing.T) {
	home := tempHome(t)
	s := openIn(t, home)
	living, err := s.Begin(t.Context(), wantedOf(t, "npm:living"), nil)
	do(t, err)
	defer living.Abort()
	do(t, os.Chtimes(filepath.Dir(living.Folder), time.Unix(0, 0), time.Unix(0, 0))) // age counts for nothing
	c := as(t, "install once", home, "WAIT=1")
	_, err = c.StdinPipe()
	do(t, err)
	out, err := c.StdoutPipe()
	do(t, err, c.Start())
	bufio.NewReader(out).ReadString('\n')
	if left, _ := filepath.Glob(s.Path + "/.stages/*"); len(left) != 2 {
		t.Errorf("%s", left)
	}
	do(t, c.Process.Signal(syscall.SIGKILL))
	c.Wait()
	g, err := s.Begin(t.Context(), Wanted{Manager: "npm", Specs: serverSpecs()}, nil)
	do(t, err)
	left, _ := filepath.Glob(s.Path + "/.stages/*")
	if len(left) != 2 || !strings.Contains(strings.Join(left, " "), filepath.Dir(living.Folder)) {
		t.Errorf("%s", left)
	}
	do(t, g.Abort())
}

// A package from which a server runs is neither pruned nor removed; the others go, the longest unused first.
func TestPruneSparesWhatRuns(t *testing.T) {
	s := openIn(t, tempHome(t))
	var all []*Package
	for _, name := range []string{"a", "b", "c"} {
		all = append(all, install(t, s, "npm:"+name, installed(name, "1.0.0"), name))
	}
	a, b, c := all[0], all[1], all[2]
	do(t, a.Touch()) // b is now the longest unused
	fd, err := folder.Open(unix.AT_FDCWD, b.Path)
	do(t, err, unix.Flock(fd, unix.LOCK_SH))
	if err := b.Remove(); !errors.Is(err, ErrInUse) {
		t.Error(err)
	}
	done, err := s.Prune(a.Bytes + b.Bytes)
	if err != nil || len(done.Removed) != 1 || done.Removed[0].Path != c.Path || len(done.InUse) != 1 ||
		done.InUse[0].Path != b.Path || done.Bytes != a.Bytes+b.Bytes {
		t.Errorf("%+v, %v", done, err)
	}
	do(t, b.Check(), unix.Close(fd))
	done, err = s.Prune(a.Bytes)
	if err != nil || len(done.Removed) != 1 || done.Removed[0].Path != b.Path {
		t.Errorf("%+v, %v", done, err)
	}
	if _, err := s.Find(wantedOf(t, "npm:b"), 0); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	do(t, a.Check())
}

// Records of packages that went away by hand, and damaged packages that nobody asks for, go with a prune.
func TestPruneTidies(t *testing.T) {
	s := openIn(t, tempHome(t))
	gone := install(t, s, "npm:gone", installed("gone", "1.0.0"), "lock")
	damaged := install(t, s, "npm:damaged", installed("damaged", "1.0.0"), "one")
	install(t, s, "npm:damaged", installed("damaged", "2.0.0"), "two")
	kept := install(t, s, "npm:kept", installed("kept", "1.0.0"), "lock")
	for _, p := range []*Package{gone, damaged, kept} {
		do(t, os.Chmod(p.Path, 0o700), os.Remove(p.Path+"/"+ManifestName))
	}
	do(t, os.Rename(gone.Path, s.Path+"/../gone"))
	if _, broken, err := s.List(); len(broken) != 2 || err != nil {
		t.Errorf("%v, %v", broken, err)
	}
	if _, err := s.Find(wantedOf(t, "npm:kept"), 0); err == nil ||
		!strings.Contains(err.Error(), "`mcp-sandbox store update kept`") {
		t.Error(err)
	}
	done, err := s.Prune(-1)
	if err != nil || len(done.Removed) != 1 || done.Removed[0].Path != damaged.Path {
		t.Errorf("%+v, %v", done, err)
	}
	for _, folder := range []string{".index", ".specs"} {
		if left, _ := filepath.Glob(s.Path + "/" + folder + "/*"); len(left) != 2 { // of damaged 2.0.0 and of kept
			t.Errorf("%s: %s", folder, left)
		}
	}
	install(t, s, "npm:kept", installed("kept", "1.0.0"), "lock")
	p, err := s.Find(wantedOf(t, "npm:kept"), 0)
	do(t, err, p.Check())
}

func TestResolutions(t *testing.T) {
	s := openIn(t, tempHome(t))
	old := install(t, s, "npm:@x/y@^1", installed("@x/y", "1.0.0"), "one")
	latest := install(t, s, "npm:@x/y", installed("@x/y", "2.0.0"), "two")
	install(t, s, "npm:@x/yz", installed("@x/yz", "1.0.0"), "three")
	p := installed("y", "1.0")
	p.Ecosystem = "pypi"
	install(t, s, "pypi:y==1.0", p, "four")
	for name, want := range map[string]int{"": 4, "@x/y": 2, "npm:@x/y": 2, "pypi:@x/y": 0, "y": 1, "pypi:y": 1, "@x/yz": 1, "x": 0,
		"npm:@x/y@1.0.0": 1, "@x/y@2.0.0": 1, "npm:@x/y@3.0.0": 0} {
		if got, err := s.Resolutions(name); err != nil || len(got) != want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	do(t, s.Remember(Resolution{"npm", "", []string{"npm:@x/y@^1"}, latest.Path}))
	if p, err := s.Find(wantedOf(t, "npm:@x/y@^1"), 0); err != nil || p.Version != "2.0.0" {
		t.Errorf("%+v, %v", p, err)
	}
	do(t, s.Forget(Resolution{Manager: "npm", Specs: []string{"npm:@x/y@^1"}}))
	if _, err := s.Find(wantedOf(t, "npm:@x/y@^1"), 0); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	for _, path := range []string{"/etc", s.Path, s.Path + "/../x", old.Path + "/..", s.Path + "/npm/@x/y/9.9.9-0123456789ab"} {
		if s.Remember(Resolution{"npm", "", []string{"npm:@x/y"}, path}) == nil {
			t.Errorf("%s is remembered", path)
		}
	}
}

// Installs, starts and prunes at once: each Find that finds has a package that is whole until it is pruned.
func TestManyAtOnce(t *testing.T) {
	home := tempHome(t)
	openIn(t, home)
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			s := openIn(t, home)
			for range 8 {
				specs := specsOf(t, "npm:@x/server")
				if worker == 5 {
					if _, err := s.Prune(0); err != nil {
						t.Error(err)
					}
					continue
				}
				g, err := s.Begin(t.Context(), Wanted{Manager: "npm", Specs: specs}, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := s.Find(Wanted{Manager: "npm", Specs: specs}, 0); err != nil {
					if err = write(g.Folder, "lock", 5); err == nil {
						_, err = g.Commit(installed("@x/server", "1.0.0"))
					}
					if err != nil {
						t.Error(err)
					}
				}
				g.Abort()
				if p, err := s.Find(Wanted{Manager: "npm", Specs: specs}, 0); err == nil {
					was, _ := os.Stat(p.Path)
					err := p.Check()
					is, _ := os.Stat(p.Path)
					if err != nil && was != nil && is != nil && os.SameFile(was, is) { // else it was pruned meanwhile
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
}
