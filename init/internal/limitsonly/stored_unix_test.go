//go:build darwin || linux

package limitsonly

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// A package is locked while its server runs, and the report names the package. What lies elsewhere is none.
func TestPackage(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_DATA_HOME", "")
	p, err := places.Of(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	at := p.Store() + "/npm/x/1"
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := func() error {
		f, err := os.Open(at)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	start := func(path string) *run {
		stored := order.Stored{Profile: "npm:x", Package: &order.PackageID{Name: "x", Version: "1", Path: path}}
		return trial{Serve: []string{"echo"}, Stored: stored}.launch(t)
	}
	if _, code, _, _ := start(home).all(t); code != 125 {
		t.Errorf("a package outside of the store: %d", code)
	}
	r := start(at)
	if os.Geteuid() == 0 {
		if _, code, _, _ := r.all(t); code != 125 {
			t.Errorf("root's server, which cannot enter root's folders: %d", code)
		}
		return
	}
	r.stdin.Write([]byte("x\n"))
	if said, err := r.line(t), lock(); said != "x" || err != unix.EWOULDBLOCK {
		t.Errorf("while the server runs: %q, %v", said, err)
	}
	r.stdin.Close()
	_, code, first, _ := r.all(t)
	if code != 0 || first == nil || first.Profile != "npm:x" || *first.Package != (order.PackageID{Name: "x", Version: "1", Path: at}) {
		t.Errorf("%d, %+v", code, first)
	}
	if err := lock(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
