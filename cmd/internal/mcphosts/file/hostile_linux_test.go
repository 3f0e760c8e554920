package file

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a confined server puts beside a file of a project is not put into the file, whatever its name says; and what
// this package lays there is not to be seen by a server.
func TestPlanted(t *testing.T) {
	path := plant(t, "now")
	s := stage{path: path, name: filepath.Base(path)}
	planted := s.prefix() + "AAAAAAAA-" + sum([]byte("before")) + "-" + sum([]byte("now"))
	must(t, os.WriteFile(filepath.Join(filepath.Dir(path), planted), []byte("evil"), 0o644))
	var beside []string
	_, err := changer{Target: at(t, path), change: ours, at: func(step string) {
		entries, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		for _, e := range entries {
			if e.Name() != planted && e.Name() != filepath.Base(path) {
				beside = append(beside, step+" "+e.Name())
			}
		}
	}}.run()
	must(t, err)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "now"+mark || len(beside) > 0 {
		t.Errorf("%v, %q, beside: %q", err, text, beside)
	}
	if left := leftovers(t, path); len(left) != 1 || filepath.Base(left[0]) != planted {
		t.Errorf("left: %q", left)
	}
	// where the names are believed, the same is put into the file
	wrap := filepath.Join(os.Getenv("HOME"), ".local/state/mcp-sandbox/wrap")
	name := strings.ReplaceAll(planted, sum([]byte("now")), sum(text))
	must(t, os.WriteFile(filepath.Join(wrap, name), []byte("host"), 0o600))
	_, err = at(t, path).Change(ours)
	must(t, err)
	if text, err := os.ReadFile(path); err != nil || string(text) != "host"+mark {
		t.Errorf("%v, %q", err, text)
	}
}

// A link that takes the place of a folder after the path was found is not followed.
func TestFolderBecomesLink(t *testing.T) {
	path := plant(t, "old")
	target := at(t, path)
	other := t.TempDir()
	must(t, os.WriteFile(other+"/mcp.json", []byte("other"), 0o644))
	above := filepath.Dir(filepath.Dir(path))
	must(t, os.Rename(above, above+".2"))
	must(t, os.Mkdir(above, 0o755))
	must(t, os.Symlink(other, above+"/app"))
	if _, err := target.Change(ours); err == nil {
		t.Error("a link was followed")
	}
	must(t, os.Mkdir(other+"/app", 0o755))
	must(t, os.WriteFile(other+"/app/mcp.json", []byte("other"), 0o644))
	must(t, os.RemoveAll(above))
	must(t, os.Symlink(other, above))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if _, err := target.Change(ours); err == nil {
		t.Error("a link above was followed")
	}
	for _, file := range []string{other + "/mcp.json", other + "/app/mcp.json"} {
		holds(t, file, "other")
	}
}

// On another disk than the state folder's the text lies beside the file for the exchange, and nowhere afterwards.
func TestOtherDisk(t *testing.T) {
	plant(t, "")
	var home, there unix.Stat_t
	must(t, unix.Stat(os.Getenv("HOME"), &home))
	dir, err := os.MkdirTemp("/dev/shm", "file-test-")
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, unix.Stat(dir, &there))
	if home.Dev == there.Dev {
		t.Skip("one disk: nothing here is tried")
	}
	path := dir + "/mcp.json"
	must(t, os.WriteFile(path, []byte("old"), 0o644))
	var seen []string
	_, err = changer{Target: at(t, path), change: ours, at: func(step string) { seen = append(seen, step) }}.run()
	must(t, err)
	holds(t, path, "old"+mark)
	want := "read created written synced laid backup compared read marked created written synced laid backup compared " +
		"guarded exchanged removed"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A server that writes to the text while that lies beside the file does not get its own into the file.
func TestWrittenBeside(t *testing.T) {
	var late sync.WaitGroup
	write := func(path string, after func(f *os.File)) {
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		_, err = f.WriteString("evil")
		must(t, err)
		after(f)
	}
	for _, c := range []struct {
		name, step string
		attack     func(laid string)
		want       error
	}{
		{"nobody", "laid", func(string) {}, nil},
		{"written", "laid", func(laid string) { write(laid, func(f *os.File) { f.Close() }) }, errTouched},
		{"held open", "laid", func(laid string) {
			write(laid, func(f *os.File) { t.Cleanup(func() { f.Close() }) })
		}, errOpen},
		{"opened late", "guarded", func(laid string) {
			thread := make(chan int, 1)
			late.Go(func() {
				runtime.LockOSThread()
				thread <- unix.Gettid()
				write(laid, func(f *os.File) { f.Close() })
			})
			writer := <-thread
			testbed.Await(t, "a writer that waits to open the file", func() bool {
				return testbed.Call(os.Getpid(), writer) == unix.SYS_OPENAT
			})
		}, errTouched},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, done := plant(t, "old"), false
			_, err := changer{Target: at(t, path), change: ours, beside: true, at: func(step string) {
				left, _ := filepath.Glob(filepath.Dir(path) + "/.*" + infix + "*")
				if step == c.step && !done {
					done = true
					c.attack(left[0])
				}
			}}.run()
			if !errors.Is(err, c.want) || !done {
				t.Errorf("%v, want %v", err, c.want)
			}
			late.Wait()
			if c.want == nil {
				holds(t, path, "old"+mark)
			} else {
				holds(t, path, "old")
			}
		})
	}
}
