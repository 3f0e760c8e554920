package main

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// The demo's claim is worth what its judge is: each way to be wrong must be seen.
func TestCompare(t *testing.T) {
	reached := outcome{attempt.Result{OK: true}, true}
	stopped := func(errno string) outcome { return outcome{attempt.Result{Errno: errno}, false} }
	private := outcome{attempt.Result{OK: true}, false}
	proved := &launcher.Report{Layers: []order.LayerReport{{Layer: order.Root, State: order.Proved}, {Layer: order.Landlock, State: order.Proved}}}
	for _, c := range []struct {
		name                 string
		granted              bool
		unconfined, confined outcome
		report               *launcher.Report
		layer, wrong         string
	}{
		{"stopped", false, reached, stopped("ENOENT"), proved, "root", ""},
		{"stopped by another layer", false, reached, stopped("EACCES"), proved, "landlock", ""},
		{"a private copy", false, reached, private, proved, "root", ""},
		{"granted", true, reached, reached, proved, "(granted)", ""},
		{"went through", false, reached, reached, proved, "-", "went through confined"},
		{"no control", false, stopped("EACCES"), stopped("EACCES"), proved, "-", "proves nothing"},
		{"granted and stopped", true, reached, stopped("ENOENT"), proved, "-", "is granted"},
		{"layer not proved", false, reached, stopped("ENOENT"), new(launcher.Report), "-", "nothing that the report proved"},
		{"unknown errno", false, reached, stopped("EIO"), proved, "-", "nothing that the report proved"},
	} {
		tries := []try{{what: c.name, granted: c.granted, layers: fileLayers()}}
		r := compare(tries, []outcome{c.unconfined}, []outcome{c.confined}, c.report)
		if r[0].layer != c.layer {
			t.Errorf("%s: layer %q, want %q", c.name, r[0].layer, c.layer)
		}
		err := verdict(r)
		if (err != nil) != (c.wrong != "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, want %q", c.name, err, c.wrong)
		}
	}
}
