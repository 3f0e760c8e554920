package file

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var steps = []string{"read", "created", "written", "synced", "laid", "backup", "compared", "exchanged", "removed"}

// A host that writes at some step of a change, in one manner or another, has its text in the file afterwards, and the
// change is made of that text.
func TestHostWritesMeanwhile(t *testing.T) {
	var writes sync.WaitGroup
	manners := map[string]func(path string){
		"another file":      func(path string) { replace(path, "host") },
		"in place":          func(path string) { must(t, os.WriteFile(path, []byte("host"), 0o644)) },
		"late":              func(path string) { writeLate(t, &writes, path, os.O_TRUNC) },
		"late, not emptied": func(path string) { writeLate(t, &writes, path, 0) },
	}
	for manner, write := range manners {
		for _, step := range steps {
			t.Run(manner+" at "+step, func(t *testing.T) {
				path, done := plant(t, "old"), false
				_, err := changer{at(t, path), ours, func(now string) {
					if now == step && !done {
						done = true
						write(path)
					}
				}}.run()
				writes.Wait()
				must(t, err)
				want := "host" + mark
				if step == "exchanged" || step == "removed" { // then the change was made before
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

// writeLate opens a file now and writes it later, as a slow host.
func writeLate(t *testing.T, writes *sync.WaitGroup, path string, flag int) {
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
	must(t, err)
	writes.Go(func() {
		time.Sleep(30 * time.Millisecond)
		_, err := f.WriteString("host")
		if err = errors.Join(err, f.Truncate(4), f.Close()); err != nil {
			t.Error(err)
		}
	})
}

// A file that its host takes away stays away; a host that never stops writing is an error, and its last text stays.
func TestHostWins(t *testing.T) {
	for _, step := range steps[:7] {
		path := plant(t, "old")
		_, err := changer{at(t, path), ours, func(now string) {
			if now == step {
				os.Remove(path)
			}
		}}.run()
		if !errors.Is(err, fs.ErrNotExist) || len(leftovers(t, path)) > 0 {
			t.Errorf("%s: %v, %q", step, err, leftovers(t, path))
		}
	}
	path, count := plant(t, "old"), 0
	_, err := changer{at(t, path), ours, func(now string) {
		if now == "compared" || now == "laid" {
			count++
			replace(path, fmt.Sprint("host ", count))
		}
	}}.run()
	if !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
	holds(t, path, fmt.Sprint("host ", count))
	path = plant(t, "old")
	open, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer open.Close()
	if _, err := at(t, path).Change(ours); !errors.Is(err, errOpen) {
		t.Errorf("%v", err)
	}
	holds(t, path, "old")
}

// What was written before the exchange is seen before, so that nobody sees the file go back in time.
func TestSeenBefore(t *testing.T) {
	path := plant(t, "old")
	var seen []string
	_, err := changer{at(t, path), ours, func(now string) {
		if seen = append(seen, now); now == "laid" && len(seen) == 5 {
			replace(path, "host")
		}
	}}.run()
	must(t, err)
	if got, want := strings.Join(seen, " "), "read created written synced laid backup "+strings.Join(steps, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	holds(t, path, "host"+mark)
}

// Killed at any step, the file is the old or the new one, whole; the next change clears away what is left. The text of
// a host that wrote just before the exchange is in the file then.
func TestKilled(t *testing.T) {
	for _, host := range []string{"", "host"} {
		ended := false
		for n := 1; !ended && n < 30; n++ {
			path := plant(t, "old")
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), "FILE_TEST_PATH="+path, fmt.Sprint("FILE_TEST_KILL_AT=", n), "FILE_TEST_HOST_WRITES="+host)
			out, err := cmd.CombinedOutput()
			if ended = err == nil; !ended && err.Error() != "signal: killed" {
				t.Fatalf("%v: %s", err, out)
			}
			text, err := os.ReadFile(path)
			must(t, err)
			switch got := strings.TrimSuffix(string(text), mark); {
			case got != "old" && got != "host":
				t.Errorf("step %d: %q", n, text)
			case got != string(text) && host == "" && leftoverText(t, path) == "host":
				t.Errorf("step %d: lost", n)
			}
			wrote := host != "" && (ended || string(text) == "host" || leftoverText(t, path) == "host" || string(text) == "host"+mark)
			_, err = at(t, path).Change(ours)
			must(t, err)
			if want := "old" + mark; wrote {
				holds(t, path, "host"+mark)
			} else {
				holds(t, path, want)
			}
		}
		if !ended {
			t.Error("the change never ended")
		}
	}
}

func leftoverText(t *testing.T, path string) string {
	for _, name := range leftovers(t, path) {
		if text, err := os.ReadFile(filepath.Join(filepath.Dir(path), name)); err == nil && string(text) == "host" {
			return "host"
		}
	}
	return ""
}

// A host and this package write at the same time, for a while. The last text of the host is never lost.
func TestConcurrentWriter(t *testing.T) {
	path := plant(t, "0")
	stop, failed := make(chan struct{}), make(chan string, 1)
	go func() {
		defer close(failed)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			text := fmt.Sprint(i)
			if i%2 == 0 {
				replace(path, text)
			} else if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				failed <- err.Error()
				return
			}
			if !eventually(path, text) {
				failed <- "lost " + text
				return
			}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		}
	}()
	changed := 0
	while := 10 * time.Second
	if testing.Short() {
		while = time.Second
	}
	for deadline := time.Now().Add(while); time.Now().Before(deadline); {
		r, err := at(t, path).Change(ours)
		if err == nil && r.Backup != "" {
			changed++
		} else if err != nil && !errors.Is(err, errBusy) && !errors.Is(err, errOpen) {
			t.Fatal(err)
		}
	}
	close(stop)
	if lost := <-failed; lost != "" {
		t.Error(lost)
	}
	if changed == 0 {
		t.Error("nothing was changed")
	}
	t.Logf("changed %d times", changed)
}

// eventually reports whether the file has that text, changed by this package or not, within a tenth of a second.
func eventually(path, want string) bool {
	for range 100 {
		if got, err := os.ReadFile(path); err == nil && strings.TrimSuffix(string(got), mark) == want {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}
