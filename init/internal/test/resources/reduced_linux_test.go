package resources_test

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Without namespaces the group is the same, and all of it is there that a group holds.
func TestReduced(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		at.begin = "reduced"
		bomb := []string{"fork", "500"}
		if !at.group { // nothing would stop it
			bomb = []string{"files", "1000000"}
		}
		run := explode(t, at, `"limits":{"memory":"64M","pids":40}`, bomb...)
		if run.Enforced.Confinement != "reduced" {
			t.Fatalf("%s\n%s", run.Enforced.Confinement, &run.Stderr)
		}
		if !at.group {
			if f := run.Fact(order.Limits, "processes"); f.Got != "" || f.Reason == "" {
				t.Errorf("%+v", f)
			}
			return
		}
		if n, word := run.far(); word != "EAGAIN" || n > 40 || run.Exited.ForksRefused == 0 {
			t.Errorf("%d children, %s, %+v", n, word, run.Exited)
		}
		if run = explode(t, at, `"limits":{"memory":"64M"}`, "memory", "256"); run.Exited.Cause != order.CauseOOM {
			t.Errorf("%+v\n%s", run.Exited, &run.Stderr)
		}
		for _, name := range []string{"group", "processes", "memory.max"} {
			if f := run.Fact(order.Cgroup, name); f.Got == "" || f.Got != f.Want {
				t.Errorf("%s: %+v", name, f)
			}
		}
	})
}
