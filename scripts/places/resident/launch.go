package main

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/places/table"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/reach"
)

// A launch is one of mcp-sandbox-init with the place's policy. Its report comes over a pipe: a place may have no
// folder to write to.
type launch struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	report *os.File // the end to read from
	given  *os.File // the launcher's
	read   chan table.Launch
}

func (r *resident) launch(command []string) (*launch, error) {
	report, given, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	l := &launch{report: report, given: given, read: make(chan table.Launch, 1)}
	words := []string{"--policy", r.path("policy.json"), "--report-fd", "3"}
	if r.least != "" {
		words = append(words, "--min-confinement", r.least)
	}
	l.cmd = exec.Command(r.path("bin/mcp-sandbox-init"), append(append(words, "--"), command...)...)
	l.cmd.Stderr, l.cmd.ExtraFiles = &l.stderr, []*os.File{given}
	go l.follow()
	return l, nil
}

// reach is a launch with allowed domains and a published port.
func (r *resident) reach() reach.Trial {
	t := reach.Trial{Launcher: r.path("bin/mcp-sandbox-init"), Probe: r.path("servers/probe"),
		Command: func(argv ...string) *exec.Cmd { return exec.Command(argv[0], argv[1:]...) }}
	if r.least != "" {
		t.Words = []string{"--min-confinement", r.least}
	}
	return t
}

// follow reads the report to its end, which is the launcher's.
func (l *launch) follow() {
	var t table.Launch
	lines := bufio.NewScanner(l.report)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var head struct{ Event string }
		var e order.Enforced
		if json.Unmarshal(lines.Bytes(), &head) != nil {
			continue
		}
		switch head.Event {
		case "enforced":
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				t.Confinement, t.Warnings = e.Confinement, append(e.Warnings, lacking(&e)...)
			}
		case "refused":
			t.Refused = lines.Text()
		}
	}
	l.read <- t
}

// lacking is what a report says of layers and facts that the place does not give.
func lacking(e *order.Enforced) (all []string) {
	for _, l := range e.Layers {
		if l.State == order.Absent {
			all = append(all, string(l.Layer)+": "+l.Reason+"; "+l.Effect)
		}
		for _, f := range l.Facts {
			if f.Got == "" {
				all = append(all, f.Name+": "+f.Reason+"; "+f.Effect)
			}
		}
	}
	return all
}

// reported is the launcher's report, once the launcher has ended.
func (l *launch) reported() table.Launch {
	l.given.Close()
	t := <-l.read
	l.report.Close()
	t.Stderr = l.stderr.String()
	return t
}
