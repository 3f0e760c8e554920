package layers

import (
	"testing"

	cgroups "github.com/security-mcp/mcp-sandbox/init/internal/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// grouped compares a group that one thing of may be wrong.
func grouped(change func(g *cgroups.Group, c *check, self *string)) (order.LayerReport, *order.Refusal) {
	g := &cgroups.Group{Path: "/a/mcp-sandbox-1", Members: "17", Settings: []cgroups.Setting{
		{File: "memory.max", Want: "1048576", Got: "1048576"}, {File: "pids.max", Want: "64", Got: "64", Inherited: true},
		{File: "io.max", Device: "8:0", Want: "8:0 rbps=1 wbps=1", Got: "8:0 rbps=1 wbps=1"},
		{File: "cpu.max", Want: "1 2", Reason: "no controller", Effect: "no rate"},
	}}
	self := "12:pids:/elsewhere\n0::/a/mcp-sandbox-1\n"
	report := order.LayerReport{Layer: order.Cgroup}
	c := &check{Evidence: &Evidence{Server: 17}, layer: &report}
	change(g, c, &self)
	proveMembers(c, g, true, []byte(self))
	proveCgroupLimits(c, g.Settings)
	return report, c.refusal
}

// TestGroupIsCompared: another member, a member more, another group and another value of each file are refused.
func TestGroupIsCompared(t *testing.T) {
	report, refusal := grouped(func(*cgroups.Group, *check, *string) {})
	if refusal != nil || len(report.Facts) != 6 || report.Facts[5].Got != "" || report.Facts[5].Reason == "" {
		t.Fatal(refusal, report.Facts)
	}
	for name, change := range map[string]func(*cgroups.Group, *check, *string){
		"nobody":                   func(g *cgroups.Group, _ *check, _ *string) { g.Members = "" },
		"another process":          func(g *cgroups.Group, _ *check, _ *string) { g.Members = "18" },
		"a second process":         func(g *cgroups.Group, _ *check, _ *string) { g.Members = "17 18" },
		"a process before":         func(g *cgroups.Group, _ *check, _ *string) { g.Members = "1 17" },
		"another server":           func(_ *cgroups.Group, c *check, _ *string) { c.Server = 18 },
		"another group":            func(_ *cgroups.Group, _ *check, self *string) { *self = "0::/a\n" },
		"a group below":            func(_ *cgroups.Group, _ *check, self *string) { *self = "0::/a/mcp-sandbox-1/b\n" },
		"no group":                 func(_ *cgroups.Group, _ *check, self *string) { *self = "" },
		"a group of version 1":     func(_ *cgroups.Group, _ *check, self *string) { *self = "1:name=x:/a/mcp-sandbox-1\n" },
		"another limit":            func(g *cgroups.Group, _ *check, _ *string) { g.Settings[0].Got = "max" },
		"another inherited limit":  func(g *cgroups.Group, _ *check, _ *string) { g.Settings[1].Got = "65" },
		"another limit of a disk":  func(g *cgroups.Group, _ *check, _ *string) { g.Settings[2].Got = "8:0 rbps=1 wbps=max" },
		"a limit nobody read back": func(g *cgroups.Group, _ *check, _ *string) { g.Settings[2].Got = "" },
	} {
		if _, refusal := grouped(change); refusal == nil {
			t.Errorf("not noticed: %s", name)
		}
	}
}
