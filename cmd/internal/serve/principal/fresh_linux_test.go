package principal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A file that could not be read for a moment, without descriptors, is read later, though it does not change again.
func TestFreshTriesAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	var trouble error
	told, reads := 0, 0
	f, err := NewFresh(func() (int, error) { reads++; return reads, trouble }, func(error) { told++ }, file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	trouble = errors.New("too many open files")
	if first, second := f.Get(), f.Get(); first != 1 || second != 1 || told != 1 {
		t.Errorf("a broken file counts, or was told %d times", told)
	}
	trouble = nil
	if first, second := f.Get(), f.Get(); first != 4 || second != 4 {
		t.Error("the file was not read again")
	}
}

// A file is read again that is as long as before, and as old: programs copy the time too.
func TestFreshSeesEveryChange(t *testing.T) {
	folder := t.TempDir()
	file, next, time := filepath.Join(folder, "file"), filepath.Join(folder, "next"), time.Unix(1, 0)
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, time, time)); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "a")
	f, err := NewFresh(func() (string, error) { b, err := os.ReadFile(file); return string(b), err }, func(err error) { t.Error(err) }, file)
	if err != nil || f.Get() != "a" {
		t.Fatal(f.Get(), err)
	}
	write(next, "b")
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
	if got := f.Get(); got != "b" {
		t.Errorf("another file has its place: %q", got)
	}
	testbed.Await(t, "another time of change, which is that of the clock's tick", func() bool {
		write(file, "c")
		return f.Get() == "c"
	})
}
