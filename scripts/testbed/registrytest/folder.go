package registrytest

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Put writes files below a folder, which anybody can execute.
func Put(t testing.TB, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o755))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// large is the size of a file that a package has, and mostHeap the memory that the launcher may take for it.
const (
	large    = 900 << 20
	mostHeap = 8 << 20
)

// Bounded demands of an act on a folder an error with a text, or none for "", and that its memory does not grow with
// the files there: texts, and behind "+" a hole of 900 MiB.
func Bounded(t testing.TB, files map[string]string, want string, act func(folder string) error) {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		text, hole := strings.CutSuffix(text, "+")
		Put(t, at, map[string]string{name: text})
		if hole {
			if err := os.Truncate(filepath.Join(at, name), large); err != nil {
				t.Fatal(err)
			}
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := act(at)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > mostHeap {
		t.Errorf("%d bytes of memory", taken)
	}
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}
