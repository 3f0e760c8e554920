package matrix

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

func TestSlowest(t *testing.T) {
	s := job.Status{Seconds: map[string]float64{"try": 4.7, "1-platform": 2, "2-x": 31}}
	for most, want := range map[int]string{0: "", 2: "2-x 31 s, try 5 s", 9: "2-x 31 s, try 5 s, 1-platform 2 s"} {
		if got := Slowest(s, most); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
