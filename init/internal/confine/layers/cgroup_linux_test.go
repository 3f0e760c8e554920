package layers

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// grouped compares a group that one thing of may be wrong.
func grouped(change func(c *check, self *string)) (order.LayerReport, *order.Refusal) {
	g := &cgroup.Group{Path: "/a/mcp-sandbox-1", Settings: []cgroup.Setting{
		{File: "memory.max", Want: "1048576"}, {File: "pids.max", Want: "64", Inherited: true},
		{File: "io.max", Device: "8:0", Want: "8:0 rbps=1 wbps=1"},
		{File: "cpu.max", Want: "1 2", Reason: "no controller", Effect: "no rate"},
	}}
	self := "12:pids:/elsewhere\n0::/a/mcp-sandbox-1\n"
	report := order.LayerReport{Layer: order.Cgroup}
	c := &check{layer: &report, Evidence: &Evidence{Server: 17, Group: cgroup.Readings{
		Members: "17", Values: []string{"1048576", "64", "8:0 rbps=1 wbps=1", ""}}}}
	change(c, &self)
	proveMembers(c, g, true, []byte(self))
	proveCgroupLimits(c, g.Settings)
	return report, c.refusal
}

// TestGroupIsCompared: another member, a member more, another group and another value of each file are refused.
func TestGroupIsCompared(t *testing.T) {
	report, refusal := grouped(func(*check, *string) {})
	if refusal != nil || len(report.Facts) != 6 || report.Facts[5].Got != "" || report.Facts[5].Reason == "" {
		t.Fatal(refusal, report.Facts)
	}
	for name, change := range map[string]func(*check, *string){
		"nobody":                   func(c *check, _ *string) { c.Group.Members = "" },
		"another process":          func(c *check, _ *string) { c.Group.Members = "18" },
		"a second process":         func(c *check, _ *string) { c.Group.Members = "17 18" },
		"a process before":         func(c *check, _ *string) { c.Group.Members = "1 17" },
		"another server":           func(c *check, _ *string) { c.Server = 18 },
		"another group":            func(_ *check, self *string) { *self = "0::/a\n" },
		"a group below":            func(_ *check, self *string) { *self = "0::/a/mcp-sandbox-1/b\n" },
		"no group":                 func(_ *check, self *string) { *self = "" },
		"a group of version 1":     func(_ *check, self *string) { *self = "1:name=x:/a/mcp-sandbox-1\n" },
		"another limit":            func(c *check, _ *string) { c.Group.Values[0] = "max" },
		"another inherited limit":  func(c *check, _ *string) { c.Group.Values[1] = "65" },
		"another limit of a disk":  func(c *check, _ *string) { c.Group.Values[2] = "8:0 rbps=1 wbps=max" },
		"a limit nobody read back": func(c *check, _ *string) { c.Group.Values[2] = "" },
	} {
		if _, refusal := grouped(change); refusal == nil {
			t.Errorf("not noticed: %s", name)
		}
	}
}
