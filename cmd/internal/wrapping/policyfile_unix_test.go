//go:build darwin || linux

package wrapping

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A folder of policies that another user can lead elsewhere is neither read nor written: root may wrap with the HOME of
// a user, who has links there.
func TestFolderOfOthers(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	theirs, mine := filepath.Join(top, "theirs"), filepath.Join(top, "mine")
	for _, at := range []string{theirs, mine} {
		if err := os.Mkdir(at, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(theirs, 0o777); err != nil { // as good as owned by another
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	p := &policy.Policy{Level: policy.Standard}
	for _, at := range []string{theirs, theirs + "/host", top + "/link", top + "/link/host"} {
		f := policyFile{path: at + "/server.json"}
		unfit := folder.Unfit("")
		if err := f.write(p); !errors.As(err, &unfit) {
			t.Errorf("%s: write: %v", at, err)
		}
		if _, err := f.read(); !errors.As(err, &unfit) {
			t.Errorf("%s: read: %v", at, err)
		}
		if found, _ := os.ReadDir(theirs); len(found) > 0 {
			t.Fatalf("%s: %v was made", at, found)
		}
	}
	f := policyFile{path: mine + "/host/server.json"}
	if there, err := f.read(); err != nil || there != nil {
		t.Errorf("%v, %v", there, err)
	}
	if err := f.write(p); err != nil {
		t.Error(err)
	}
	if there, err := f.read(); err != nil || there == nil {
		t.Errorf("%v, %v", there, err)
	}
}

// A policy that confines nothing is not kept for a server, nor one that is large, a link or a pipe.
func TestPoliciesThatDoNot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(os.WriteFile(dir+"/standard.json", []byte(`{"version":1,"level":"standard"}`), 0o600),
		os.WriteFile(dir+"/privileged.json", []byte(`{"version":1,"level":"privileged"}`), 0o600),
		os.WriteFile(dir+"/large.json", append([]byte(`{"version":1,"level":"standard"}`), bytes.Repeat([]byte(" "), mostPolicy)...), 0o600),
		os.Symlink("standard.json", dir+"/link.json"), unix.Mkfifo(dir+"/pipe.json", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, project := range []string{"", filepath.Dir(dir)} {
		for _, name := range []string{"privileged", "large", "link", "pipe"} {
			if there, err := (policyFile{dir + "/" + name + ".json", project}).read(); err == nil {
				t.Errorf("%s: %v", name, there)
			}
		}
		if there, err := (policyFile{dir + "/standard.json", project}).read(); err != nil || there == nil {
			t.Error(there, err)
		}
	}
	if err := os.Symlink(dir, dir+"/.mcp-sandbox"); err != nil {
		t.Fatal(err)
	}
	if there, err := (policyFile{dir + "/.mcp-sandbox/standard.json", dir}).read(); err == nil {
		t.Errorf("through a link of the project's: %v", there)
	}
}
