package withheld

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// A program is a regular file in a folder that PATH names whole.
func TestFindsFilesAlone(t *testing.T) {
	dir := t.TempDir()
	pipe, file := dir+"/pipe", dir+"/file"
	if err := errors.Join(unix.Mkfifo(pipe, 0o700), os.WriteFile(file, []byte("#!/x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // in which no program is looked for
	for name, want := range map[string]string{"pipe": "pipe", "file": file} {
		if got := find(name, "/", "."+":"+dir); got != want {
			t.Errorf("%s of PATH is %s", name, got)
		}
	}
}
