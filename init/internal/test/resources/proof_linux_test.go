package resources_test

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// What the report says of the limits: of a group where one can be made, else of the process; never of both.
func TestEvidence(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := start(t, at, `"limits":{"memory":"64M","pids":40,"cpu":"500m"}`, "/bin/true")
		run.Ran()
		l := run.Layer(order.Cgroup)
		if !at.group {
			if l.State != order.Absent || l.Reason == "" || l.Effect == "" || len(l.Facts) != 0 {
				t.Errorf("%+v", l)
			}
			if run.Fact(order.Limits, "data").Got != "67108864" {
				t.Errorf("%+v", run.Layer(order.Limits))
			}
			return
		}
		if l.State != order.Proved {
			t.Fatalf("%+v", l)
		}
		want := map[string]string{"memory.max": "67108864", "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "40", "cpu.max": "50000 100000"}
		for name, value := range want {
			if f := run.Fact(order.Cgroup, name); f.Got != value || f.Want != value {
				t.Errorf("%s: %+v", name, f)
			}
		}
		for _, name := range []string{"group", "processes"} {
			if f := run.Fact(order.Cgroup, name); f.Got == "" || f.Got != f.Want {
				t.Errorf("%s: %+v", name, f)
			}
		}
		for _, name := range []string{"data", "processes"} {
			if f := run.Fact(order.Limits, name); f.Name != "" {
				t.Errorf("a limit of each process as well: %+v", f)
			}
		}
		run.left(at)
	})
}

// A policy that limits nothing of what groups are for needs none.
func TestNothingToLimit(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		run := start(t, at, `"limits":{"memory":"unlimited","pids":"unlimited","cpu":"unlimited"}`, "/bin/true")
		run.Ran()
		if l := run.Layer(order.Cgroup); l.State != order.Off || strings.Contains(run.Stderr.String(), "cgroup") {
			t.Errorf("%+v\n%s", l, &run.Stderr)
		}
	})
}
