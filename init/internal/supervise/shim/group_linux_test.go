package shim_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// born is the call that makes the server's process in its group, or -1.
func born(p *layers.Layout) int {
	for i := range p.Len() {
		if strings.Contains(p.Line(i, nil), " clone3(") {
			return i
		}
	}
	return -1
}

func bearElsewhere(p *layers.Layout) {
	i := born(p)
	if i < 0 {
		os.Exit(exitAnother)
	}
	p.SetCall(i, unix.SYS_CLONE)
	p.SetArg(i, 0, uint64(unix.SIGCHLD))
	p.SetArg(i, 1, 0)
}

// A server that is not in its group is not released, whatever the group's limits are.
func TestServerBornElsewhereIsMissed(t *testing.T) {
	s := build(t, "")
	if !slices.ContainsFunc(s.list(t, standard), func(o op) bool { return strings.Contains(o.Line, " clone3(") }) {
		if slices.Contains(strings.Fields(os.Getenv(testbed.RequireEnv)), "cgroup") {
			t.Fatal("the server gets no control group here")
		}
		t.Skip("the server gets no control group here: there is nothing to miss")
	}
	l := s.launch(standard, "elsewhere")
	l.Elsewhere = true
	s.refused(t, l, "elsewhere")
	for _, op := range s.list(t, standard) {
		if program.Class(op.Class) == program.Apply && strings.Contains(op.Line, " cgroup ") { // the group's folder is opened
			l := s.launch(standard, "unopened")
			l.Op, l.Line = op.Index, op.Line
			s.refused(t, l, "unopened")
		}
	}
}
