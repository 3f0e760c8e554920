package cgroup

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name   string
		limits policy.Limits
		want   []string
	}{
		{"none", policy.Limits{Memory: policy.Unlimited, Pids: policy.Unlimited, CPU: policy.Unlimited}, nil},
		{"all", policy.Limits{Memory: 512 << 20, Pids: 64, CPU: 1000}, []string{
			"memory.max=536870912", "memory.swap.max=0", "memory.oom.group=1", "pids.max=64", "cpu.max=100000 100000"}},
		{"the floor", policy.Limits{Memory: 1 << 20}, []string{"memory.max=16777216", "memory.swap.max=0", "memory.oom.group=1"}},
		{"whole pages", policy.Limits{Memory: 17<<20 + 1}, []string{"memory.max=17825792", "memory.swap.max=0", "memory.oom.group=1"}},
		{"a small share", policy.Limits{CPU: 1}, []string{"cpu.max=1000 1000000"}},
		{"a hundredth", policy.Limits{CPU: 10}, []string{"cpu.max=1000 100000"}},
		{"cores", policy.Limits{CPU: 2500}, []string{"cpu.max=250000 100000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Settings(&c.limits)
			if len(got) != len(c.want) {
				t.Fatalf("%+v; want %v", got, c.want)
			}
			for i, s := range got {
				if s.File+"="+s.Value != c.want[i] || s.Want != s.Value || s.Effect == "" {
					t.Errorf("%+v; want %s", s, c.want[i])
				}
			}
		})
	}
}

func TestLimitIO(t *testing.T) {
	s := IO(1<<20, []string{"8:0"})[0]
	if s.Value != "8:0 rbps=1048576 wbps=1048576" || s.Want != s.Value+" riops=max wiops=max" || s.Controller != "io" {
		t.Errorf("%+v", s)
	}
}

// Without a block device there is a setting that cannot be had, and it needs no controller.
func TestIO(t *testing.T) {
	none := IO(1<<20, nil)
	if len(none) != 1 || none[0].Reason == "" || none[0].Effect == "" || len(controllers(none)) != 0 || none[0].Name() != "io.max" {
		t.Errorf("%+v", none)
	}
	two := IO(1<<20, []string{"8:0", "254:16"})
	if len(two) != 2 || two[1].Name() != "io.max 254:16" || len(controllers(two)) != 1 {
		t.Errorf("%+v", two)
	}
}

func TestControllers(t *testing.T) {
	list := Settings(&policy.Limits{Memory: 1 << 30, Pids: 1, CPU: 1})
	if got := controllers(list); len(got) != 3 || got[0] != "memory" || got[1] != "pids" || got[2] != "cpu" {
		t.Error(got)
	}
	markAbsent(list, "pids", "why")
	for _, s := range list {
		if (s.Reason != "") != (s.Controller == "pids") {
			t.Errorf("%+v", s)
		}
	}
}
