package principal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
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
