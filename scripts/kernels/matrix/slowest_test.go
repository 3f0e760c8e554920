package matrix

import (
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

func TestSlowest(t *testing.T) {
	output := job.Took("try", 4700*time.Millisecond) + "\r\nPASS\n" + job.Took("1-platform", 2*time.Second) + "\n---- step 2-x\n---- 2-x took long\n" + job.Took("2-x", 31*time.Second) + "\n"
	for most, want := range map[int]string{0: "", 2: "2-x 31 s, try 5 s", 9: "2-x 31 s, try 5 s, 1-platform 2 s"} {
		if got := Slowest(output, most); got != want {
			t.Errorf("%d: %q, want %q", most, got, want)
		}
	}
}
