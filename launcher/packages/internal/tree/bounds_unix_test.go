//go:build darwin || linux

package tree

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A survey ends where the paths of a package are longer than there is memory for, and the sum of a folder where it has
// more names than it may, or cannot be seen. A file with holes counts as long as it is.
func TestSurveyBounds(t *testing.T) {
	at := t.TempDir()
	err := errors.Join(os.Mkdir(at+"/folder", 0o755), os.WriteFile(at+"/folder/file", []byte("text"), 0o644),
		os.Symlink(strings.Repeat("x", 100), at+"/link"), os.Truncate(at+"/folder/file", 1<<20))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := openFolder(unix.AT_FDCWD, at)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	const text = len("folder") + len("folder/file") + len("link") + 100
	if _, err := Survey(fd, Request{Owner: -1, Text: text}); err != nil {
		t.Error(err)
	}
	if _, err := Survey(fd, Request{Owner: -1, Text: text - 1}); err == nil || !strings.Contains(err.Error(), "too long together") {
		t.Error(err)
	}
	bytes, names, err := Usage(at, 3)
	if err != nil || names != 3 || bytes < 1<<20 || bytes > 1<<20+64<<10 {
		t.Error(bytes, names, err)
	}
	if _, _, err := Usage(at, 2); err == nil {
		t.Error("three names of two are summed")
	}
	if os.Geteuid() == 0 {
		return // who may see all
	}
	if err := os.Chmod(at+"/folder", 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Usage(at, 3); !errors.Is(err, unix.EACCES) {
		t.Error(err)
	}
	if err := os.Chmod(at+"/folder", 0o755); err != nil {
		t.Fatal(err)
	}
}
