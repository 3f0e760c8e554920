package install

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Where no host answers, or none listens, that is told.
func TestUnreachableRegistries(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	for _, c := range first(2, [][]string{
		{"http://no-such-name.example/", "no-such-name.example cannot be reached (", "HTTPS_PROXY"},
		{"http://silent.example:4873/", "silent.example:4873 does not answer"},
		{"http://elsewhere.example:4873/", "elsewhere.example:4873 cannot be reached (connection refused)"},
	}...) {
		h.configure(t, "registry="+c[0]+"\n")
		h.refused(t, "npx -y good", c[1:]...)
	}
}

// A disk that becomes full in the middle leaves nothing, and is named.
func TestFullDisk(t *testing.T) {
	long(t)
	if os.Getenv(lackingEnv) == "" {
		t.Parallel()
		rerun(t, func(_ testing.TB, cmd *exec.Cmd) { cmd.SysProcAttr = testbed.EveryRight(unix.CLONE_NEWNS) })
		return
	}
	some := make([]byte, 1<<10) // npm takes an archive for a bomb where it unpacks to thousandfold
	rand.NewChaCha8([32]byte{}).Read(some)
	large := bytes.Repeat(some, 120<<10)
	h := newHome(t, append(good(), runnable(pack{Name: "large", Files: []file{{Name: "large", Text: string(large)}}}))...)
	data := filepath.Join(h.path, "data")
	err := os.Mkdir(data, 0o700)
	if err == nil {
		err = unix.Mount("tmpfs", data, "tmpfs", 0, "size=105m,mode=700")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_DATA_HOME", data)
	h.store.Close()
	if h.store, err = store.Open(os.Getenv); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // else the folder stays
		h.store.Close()
		if err := unix.Unmount(data, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	h.refused(t, "npx -y large", "no room is left on the disk")
	h.must(t, "npx -y good")
}

// Where npm's cache has no room in the private home, it lies on the disk, and nothing of the first try is used.
func TestFullHome(t *testing.T) {
	long(t)
	large := make([]byte, 9<<20)
	rand.NewChaCha8([32]byte{}).Read(large)
	h := newHome(t, runnable(pack{Name: "large", Files: []file{{Name: "large", Text: string(large)}}}))
	h.options.home = 8 << 20
	r := h.must(t, "npx -y large")
	if found, err := os.ReadFile(filepath.Join(r.Package.Path, "node_modules/large/large")); err != nil ||
		!bytes.Equal(found, large) {
		t.Errorf("%d bytes of %d, %v", len(found), len(large), err)
	}
}
