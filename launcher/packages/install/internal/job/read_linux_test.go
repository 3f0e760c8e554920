package job

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// A pipe or a device in place of a file is refused, and nothing waits for its writer. A file is read.
func TestReadsOfNoFile(t *testing.T) {
	folder := t.TempDir()
	registrytest.Put(t, folder, map[string]string{"file": "text", "d/f": ""})
	if err := errors.Join(unix.Mkfifo(folder+"/pipe", 0o600), os.Symlink("/dev/zero", folder+"/zero"), os.Symlink("pipe", folder+"/link")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	reads := map[string]func(string) ([]byte, error){
		"readRegular":       func(name string) ([]byte, error) { return ReadRegular(root, name, 99) },
		"readConfiguration": func(name string) ([]byte, error) { return ReadConfiguration(filepath.Join(folder, name)) },
	}
	for by, read := range reads {
		if b, err := read("file"); err != nil || string(b) != "text" {
			t.Errorf("%s of a file: %q, %v", by, b, err)
		}
		for _, name := range []string{"pipe", "link", "zero", "d", "missing"} {
			done := make(chan error, 1)
			go func() {
				_, err := read(name)
				done <- err
			}()
			if err := testbed.Receive(t, "the end of "+by+" of "+name, done); err == nil {
				t.Errorf("%s of %s: no error", by, name)
			}
		}
	}
	if _, err := ReadRegular(root, "file", 3); err == nil {
		t.Error("a longer file was read")
	}
}

// A home without a netrc has no log-in there.
func TestNetrc(t *testing.T) {
	s := new(Settings)
	if s.Netrc(&Question{Auth: true, User: User{Home: t.TempDir()}}); s.Login || len(s.Logins) > 0 {
		t.Errorf("without a netrc: %+v", s)
	}
}

// No folder that a manager's answer names is made outside of the stage.
func TestFoldersOfTheStage(t *testing.T) {
	exists := func(folder, name string) bool {
		_, err := os.Lstat(filepath.Join(folder, name))
		return err == nil
	}
	stage, outside := t.TempDir(), t.TempDir()
	j := &Job{Stage: filepath.Join(stage, "a"), Owner: -1}
	if err := os.Mkdir(j.Stage, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(j.Stage, "link")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../made", "link/made", "x/../../made"} {
		if err := j.Folder(name); err == nil || exists(stage, "made") || exists(outside, "made") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := j.Folder("lib/python3.11/site-packages"); err != nil || !exists(j.Stage, "lib/python3.11/site-packages") {
		t.Error(err)
	}
}
