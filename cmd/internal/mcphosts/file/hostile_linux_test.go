package file

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// What a confined server puts beside a file of a project is not put into the file, whatever its name says; and what
// this package lays there is not to be seen by a server.
func TestPlanted(t *testing.T) {
	path := plant(t, "now")
	s := stage{path: path, name: filepath.Base(path)}
	planted := s.prefix() + "AAAAAAAA"
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
	want := "read created written laid backup compared read created written laid backup compared exchanged removed"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A server that writes to the text while that lies beside the file, or has it open, does not get its own into the file.
func TestWrittenBeside(t *testing.T) {
	write := func(laid string) *os.File {
		f, err := os.OpenFile(laid, os.O_RDWR, 0)
		must(t, err)
		_, err = f.WriteString("evil")
		must(t, err)
		return f
	}
	for _, c := range []struct {
		name   string
		attack func(laid string)
		want   error
	}{
		{"nobody", func(string) {}, nil},
		{"written", func(laid string) { write(laid).Close() }, errTouched},
		{"held open", func(laid string) {
			f, err := os.OpenFile(laid, os.O_RDWR, 0)
			must(t, err)
			t.Cleanup(func() { f.Close() })
		}, errTouched},
	} {
		for _, step := range []string{"laid", "backup", "compared"} {
			t.Run(c.name+" at "+step, func(t *testing.T) {
				path, done := plant(t, "old"), false
				_, err := changer{Target: at(t, path), change: ours, beside: true, at: func(now string) {
					left, _ := filepath.Glob(filepath.Dir(path) + "/*" + infix + "*")
					if now == step && !done {
						done = true
						c.attack(left[0])
					}
				}}.run()
				if !errors.Is(err, c.want) || !done {
					t.Errorf("%v, want %v", err, c.want)
				}
				if c.want == nil {
					holds(t, path, "old"+mark)
				} else {
					holds(t, path, "old")
				}
			})
		}
	}
}
