package file

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A host that has the file open, and writes later, has its text in the file too.
func TestHostWritesLate(t *testing.T) {
	writeAtEachStep(t, map[string]func(path string) (later func()){
		"late":              func(path string) func() { return openLate(t, path, os.O_TRUNC) },
		"late, not emptied": func(path string) func() { return openLate(t, path, 0) },
	})
}

// openLate opens a file now and writes it later, as a slow host.
func openLate(t *testing.T, path string, flag int) (write func()) {
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
	must(t, err)
	return func() {
		_, err := f.WriteString("host")
		must(t, errors.Join(err, f.Truncate(4), f.Close()))
	}
}

// A host that never closes the file is an error.
func TestHostNeverCloses(t *testing.T) {
	path := plant(t, "old")
	open, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(t, err)
	defer open.Close()
	if _, err := at(t, path).Change(ours); !errors.Is(err, errBusy) {
		t.Errorf("%v", err)
	}
	holds(t, path, "old")
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
			if !testbed.Comes(func() bool { // changed by this package or not
				got, err := os.ReadFile(path)
				return err == nil && strings.TrimSuffix(string(got), mark) == text
			}) {
				failed <- "lost " + text
				return
			}
			testbed.Moment(rand.IntN(3000), 3000, 3*time.Millisecond)
		}
	}()
	changed := 0
	while := 10 * time.Second
	if testing.Short() {
		while = time.Second
	}
	for began := time.Now(); time.Since(began) < while || changed == 0 && time.Since(began) < testbed.Patience(); {
		r, err := at(t, path).Change(ours)
		if err == nil && r.Backup != "" {
			changed++
		} else if err != nil && !errors.Is(err, errBusy) {
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
