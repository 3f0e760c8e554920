//go:build darwin || linux

package installed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/places"
)

// BenchmarkOpen is what a launch pays for its package before the server's view is planned.
func BenchmarkOpen(b *testing.B) {
	home, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	b.Setenv("HOME", home)
	b.Setenv("XDG_DATA_HOME", "")
	p, err := places.Of(os.Getenv)
	if err != nil {
		b.Fatal(err)
	}
	at := p.Store() + "/npm/@scope/name/1.2.3-0123456789ab"
	if err := os.MkdirAll(at, 0o700); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		f, err := Open(at, os.Geteuid(), func() error { return nil })
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
