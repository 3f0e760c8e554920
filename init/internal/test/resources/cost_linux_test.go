package resources_test

import (
	"os"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// BenchmarkLaunch is a whole launch of /bin/true, with limits that ask for a group and without any. On a machine that
// gives none the difference is what asking costs. The quickest is told as well: in an emulated machine the others say
// little.
//
//	go test -exec "$PWD/bin/kernels exec -uid 1000 -place below" -run '^$' -bench Launch ./init/internal/test/resources
func BenchmarkLaunch(b *testing.B) {
	for _, c := range []struct{ name, limits string }{
		{"unlimited", `"limits":{"memory":"unlimited","pids":"unlimited","cpu":"unlimited"}`},
		{"limited", `"limits":{"memory":"64M","pids":40,"cpu":"500m"}`},
	} {
		b.Run(c.name, func(b *testing.B) {
			least := time.Hour
			for b.Loop() {
				cmd := host.Launch{Policy: `{"version":1,` + c.limits + `}`, Command: []string{"/bin/true"}}.Cmd(b)
				report, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
				if err != nil {
					b.Fatal(err)
				}
				cmd.ExtraFiles = []*os.File{report}
				began := time.Now()
				if err := cmd.Run(); err != nil {
					b.Fatal(err)
				}
				least = min(least, time.Since(began))
				report.Close()
			}
			b.ReportMetric(float64(least.Microseconds())/1000, "least-ms/op")
		})
	}
}
