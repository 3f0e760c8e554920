package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var steps = []string{"read", "created", "written", "laid", "backup", "compared", "exchanged", "removed"}

// A host that writes at some step of a change, in one manner or another, has its text in the file afterwards, and the
// change is made of that text.
func TestHostWritesMeanwhile(t *testing.T) {
	writeAtEachStep(t, map[string]func(path string) (later func()){
		"another file": func(path string) func() { replace(path, "host"); return nil },
		"in place":     func(path string) func() { must(t, os.WriteFile(path, []byte("host"), 0o644)); return nil },
	})
}

// writeAtEachStep has a host write at each step, and what it does later when the change is made again, or has ended.
func writeAtEachStep(t *testing.T, manners map[string]func(path string) (later func())) {
	for manner, write := range manners {
		for _, step := range steps {
			t.Run(manner+" at "+step, func(t *testing.T) {
				path, done, later := plant(t, "old"), false, (func())(nil)
				afterwards := step == "exchanged" || step == "removed" // the change was made before
				_, err := changer{Target: at(t, path), change: ours, beside: len(step)%2 > 0 && !afterwards, at: func(now string) {
					if now == step && !done {
						done, later = true, write(path)
					} else if now == "read" && later != nil {
						later()
						later = nil
					}
				}}.run()
				must(t, err)
				if later != nil {
					later()
				}
				want := "host" + mark
				if afterwards {
					want = "host"
				}
				if !done {
					t.Fatal("there is no such step")
				}
				holds(t, path, want)
			})
		}
	}
}

// A file that its host takes away stays away; a host that writes each time is an error, and its last text stays.
func TestHostWins(t *testing.T) {
	for _, step := range steps[:6] {
		path := plant(t, "old")
		_, err := changer{Target: at(t, path), change: ours, at: func(now string) {
			if now == step {
				os.Remove(path)
			}
		}}.run()
		if !errors.Is(err, fs.ErrNotExist) || len(leftovers(t, path)) > 0 {
			t.Errorf("%s: %v, %q", step, err, leftovers(t, path))
		}
	}
	path, count := plant(t, "old"), 0
	_, err := changer{Target: at(t, path), change: ours, at: func(now string) {
		if now == "compared" || now == "laid" {
			count++
			replace(path, fmt.Sprint("host ", count))
		}
	}}.run()
	if !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
	holds(t, path, fmt.Sprint("host ", count))
}

// What is no text and takes the file's place in the last moment gets the place back, and no later change has to fail.
func TestOtherKindMeanwhile(t *testing.T) {
	for kind, put := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"too large": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, MaxSize+1))
		},
	} {
		path := plant(t, "old")
		_, err := changer{Target: at(t, path), change: ours, at: func(now string) {
			if now == "compared" {
				must(t, errors.Join(os.Remove(path), put(path)))
			}
		}}.run()
		if info, gone := os.Lstat(path); err == nil || gone != nil || !info.IsDir() && info.Size() <= MaxSize || len(leftovers(t, path)) > 0 {
			t.Errorf("%s: %v, %v, %q", kind, err, gone, leftovers(t, path))
		}
		must(t, errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte("old"), 0o600)))
		_, err = at(t, path).Change(ours)
		must(t, err)
		holds(t, path, "old"+mark)
		// What a killed mcp-sandbox left of such a kind is kept, and said once.
		wrap := filepath.Join(os.Getenv("HOME"), ".local", "state", "mcp-sandbox", "wrap")
		must(t, put(filepath.Join(wrap, (&stage{path: path}).prefix()+"x")))
		if err := at(t, path).Settle(); err == nil || !strings.Contains(err.Error(), "and kept as "+wrap) {
			t.Errorf("%s: %v", kind, err)
		}
		must(t, at(t, path).Settle())
	}
}

// What was written before the exchange is seen before, so that nobody sees the file go back in time.
func TestSeenBefore(t *testing.T) {
	path := plant(t, "old")
	var seen []string
	_, err := changer{Target: at(t, path), change: ours, at: func(now string) {
		if seen = append(seen, now); now == "laid" && len(seen) == 4 {
			replace(path, "host")
		}
	}}.run()
	must(t, err)
	want := "read created written laid backup " + strings.Join(steps, " ")
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	holds(t, path, "host"+mark)
}
