package launcher

import (
	"os"
	"path/filepath"
	"testing"
)

// A file is anybody's only if every folder above it is, too.
func TestOpenToAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "closed", "file")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if !openToAll("/bin/sh") || openToAll(file) || openToAll("/etc/passwd") || openToAll("/no/such") {
		t.Error("closed files are open, or open ones closed")
	}
}
