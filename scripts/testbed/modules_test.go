package testbed

import (
	"os"
	"path/filepath"
	"testing"
)

// A closed folder's copy can be read, and has its links, but not its runtimes.
func TestReadable(t *testing.T) {
	closed := t.TempDir()
	open := filepath.Join(closed, "open")
	for _, dir := range []string{"d", "@deno", "@oven", "@pnpm"} {
		if err := os.MkdirAll(filepath.Join(open, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(open, dir, "f"), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("d/f", filepath.Join(open, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	got := Readable(t, open)
	if got == open {
		t.Error("a folder below a closed one was handed out as it is")
	}
	if text, err := os.ReadFile(filepath.Join(got, "link")); string(text) != "x" {
		t.Errorf("the copy: %q, %v", text, err)
	}
	if left, _ := filepath.Glob(filepath.Join(got, "@*")); len(left) > 0 {
		t.Errorf("the copy has %v", left)
	}
	if Readable(t, scratch) != scratch {
		t.Error("an open folder was copied")
	}
}
