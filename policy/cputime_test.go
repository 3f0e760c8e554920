package policy

import (
	"testing"
	"time"
)

func TestCPUSeconds(t *testing.T) {
	for _, c := range []struct {
		name    string
		limits  Limits
		want    int64
		limited bool
	}{
		{"no time", Limits{CPU: 1000}, 1, false},
		{"unlimited time", Limits{CPU: 1000, Timeout: Unlimited}, 1, false},
		{"one core", Limits{CPU: 1000, Timeout: Duration(10 * time.Second)}, 10, true},
		{"half a core", Limits{CPU: 500, Timeout: Duration(10 * time.Second)}, 5, true},
		{"never below a second", Limits{CPU: 500, Timeout: Duration(100 * time.Millisecond)}, 1, true},
		{"rounded up", Limits{CPU: 1000, Timeout: Duration(2500 * time.Millisecond)}, 3, true},
		{"unlimited rate", Limits{CPU: Unlimited, Timeout: Duration(10 * time.Second)}, 40, true},
	} {
		if got, limited := c.limits.CPUSeconds(4); limited != c.limited || limited && got != c.want {
			t.Errorf("%s: %d, %v, want %d, %v", c.name, got, limited, c.want, c.limited)
		}
	}
}
