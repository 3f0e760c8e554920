package missed

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server that is not in its group is not released, whatever the group's limits are.
func TestServerBornElsewhereIsMissed(t *testing.T) {
	s := build(t, "")
	if !slices.ContainsFunc(s.List(t, altered.Standard), func(o altered.Op) bool { return strings.Contains(o.Line, " clone3(") }) {
		if slices.Contains(strings.Fields(os.Getenv(testbed.RequireEnv)), "cgroup") {
			t.Fatal("the server gets no control group here")
		}
		t.Skip("the server gets no control group here: there is nothing to miss")
	}
	l := s.Launch(altered.Standard, "elsewhere")
	l.Elsewhere = true
	s.Refused(t, l, "elsewhere")
	for _, op := range s.List(t, altered.Standard) {
		if program.Class(op.Class) == program.Apply && strings.Contains(op.Line, " cgroup ") { // the group's folder is opened
			l := s.Launch(altered.Standard, "unopened")
			l.Op, l.Line = op.Index, op.Line
			s.Refused(t, l, "unopened")
		}
	}
}
