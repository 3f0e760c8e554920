package names_test

import (
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/egress/names"
)

// Each step asks until it is refused.
func TestStar(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	table, refused := names.New(), uint64(0)
	for i, c := range []struct {
		at   time.Duration
		want int
	}{
		{0, 100}, {0, 0}, {999 * time.Millisecond, 0}, {time.Second, 1}, {1900 * time.Millisecond, 0}, {2 * time.Second, 1},
		{4500 * time.Millisecond, 2}, {5 * time.Second, 1}, // the half second was kept
		{15 * time.Second, 10}, {time.Hour, 100}, {time.Hour, 0},
		{time.Minute, 0}, {time.Hour, 0}, {time.Hour + time.Second, 1}, // a clock that was put back
		{290 * 365 * 24 * time.Hour, 100},
	} {
		n := 0
		for table.Star("*.a.com", start.Add(c.at)) {
			n++
		}
		refused++
		if n != c.want {
			t.Errorf("step %d, after %s: %d, want %d", i, c.at, n, c.want)
		}
	}
	if got := table.Refused("*.a.com"); got != refused {
		t.Errorf("%d were refused, want %d", got, refused)
	}
	// Another entry has its own.
	if table.Refused("*.b.com") != 0 || !table.Star("*.b.com", start) || table.Refused("*.b.com") != 0 {
		t.Error("*.b.com")
	}
}
