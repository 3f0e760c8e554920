//go:build darwin || linux

package installed

import (
	"os"
	"testing"
)

// BenchmarkOpen is what a launch pays for its package before the server's view is planned.
func BenchmarkOpen(b *testing.B) {
	at := aPackage(b)
	for b.Loop() {
		f, err := Open(at, os.Geteuid(), goOn)
		if err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
