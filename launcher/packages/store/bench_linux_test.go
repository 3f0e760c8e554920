package store

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// grow writes so many entries, as a package manager does: folders with ten files of 4 KB.
func grow(t testing.TB, folder string, entries int) {
	text := make([]byte, 4<<10)
	for n := 0; n < entries; n += 11 {
		at := filepath.Join(folder, "node_modules", "package-"+strconv.Itoa(n/220), "dist", "part"+strconv.Itoa(n/11))
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			text[0], text[1], text[2] = byte(n), byte(n>>8), byte(i)
			if err := os.WriteFile(at+"/module-"+strconv.Itoa(i)+".js", text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, entries := range []int{4_000, 78_000} {
		s := openIn(b, tempHome(b))
		g, err := s.Begin(b.Context(), wantedOf(b, "npm:server"), nil)
		if err != nil {
			b.Fatal(err)
		}
		defer g.Abort()
		fill(b, g.Folder, "lock")
		grow(b, g.Folder, entries)
		if _, err := g.Commit(installed("server", "1.0.0")); err != nil {
			b.Fatal(err)
		}
		b.Run(strconv.Itoa(entries), func(b *testing.B) {
			began := platform.ProcessTime()
			for b.Loop() {
				p, err := s.Find(wantedOf(b, "npm:server"), 0)
				if err == nil {
					err = p.Check()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(platform.ProcessTime()-began)/float64(b.N), "cpu-ns/op")
		})
		b.Run(strconv.Itoa(entries)+"/verify", func(b *testing.B) {
			for b.Loop() {
				p, err := s.Find(wantedOf(b, "npm:server"), 0)
				if err == nil {
					_, err = p.Verify()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
