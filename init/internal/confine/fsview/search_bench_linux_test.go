package fsview

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// BenchmarkSearch is a write grant of as many folders as are looked into, ten files in each: what they add to a launch.
// The least of all rounds is what a quiet machine takes.
func BenchmarkSearch(b *testing.B) {
	root := plant(b, "home/\n p/")
	for i := range 100 {
		for j := range 99 {
			folder := fmt.Sprintf("%s/p/package%02d/folder%02d", root, i, j)
			must(b, os.MkdirAll(folder, 0o755))
			for k := range 10 {
				must(b, os.WriteFile(fmt.Sprintf("%s/file%d.go", folder, k), nil, 0o644))
			}
		}
	}
	r := wish{write: []string{"T/p"}}.request(root)
	b.ReportAllocs()
	least := time.Hour
	for b.Loop() {
		began := time.Now()
		if _, err := Plan(r); err != nil {
			b.Fatal(err)
		}
		least = min(least, time.Since(began))
	}
	b.ReportMetric(float64(least.Microseconds())/1e3, "least-ms")
}
