package shim_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a launch falls back to is no less proved: a kernel whose proc does not know hidepid gets another mount of it, and
// that one is missed as well when it is taken away.
func TestProcWithoutHidepid(t *testing.T) {
	s := build(t, "")
	var mounts []op
	for _, op := range s.list(t, standard) {
		if strings.Contains(op.Line, `mount("proc", "proc", "proc"`) {
			mounts = append(mounts, op)
		}
	}
	if len(mounts) != 2 || !mounts[0].Ran || mounts[1].Ran {
		t.Fatalf("%+v", mounts)
	}
	l := s.launch(standard, "fallback")
	l.Wrong = mounts[0].Index
	o := run(t, l)
	report, _ := json.Marshal(o.report)
	if o.code != 0 || !s.ran(&o, "fallback") || !strings.Contains(string(report), "process 1 can be seen") {
		t.Errorf("code %d\n%s\n%s", o.code, report, o.stderr)
	}
	l = s.launch(standard, "without")
	l.Wrong, l.Op, l.Line = mounts[0].Index, mounts[1].Index, mounts[1].Line
	s.refused(t, l, "without")
}

// A machine that refuses a call which init makes while the shim still plans is told of by that call, as the machine's
// refusal, whatever the shim could not do any more because init had ended.
func TestFirstCallsRefused(t *testing.T) {
	s := build(t, "")
	l := s.launch(standard, "refused")
	l.Unknown = slices.IndexFunc(s.list(t, standard), func(o op) bool { return strings.Contains(o.Line, " sendto(") })
	o := run(t, l)
	report, _ := json.Marshal(o.report)
	told := strings.Contains(string(report), `"layer":"network","op":"syscall 4095"`)
	if o.code != 125 || !told || !strings.Contains(o.stderr, "let the server start with less confinement") || s.ran(&o, "refused") {
		t.Errorf("code %d\n%s\n%s", o.code, report, o.stderr)
	}
}

// alterFirst makes the call Unknown one that no kernel knows, and waits until init has ended by that.
func (l *launch) alterFirst(p *layers.Layout, whole bool) {
	if l.Unknown == 0 || l.Unknown >= p.Len() {
		return
	}
	p.SetCall(l.Unknown, 0xfff)
	if whole && os.Geteuid() != 0 { // root's init makes none before its program is whole
		testbed.Comes(func() bool {
			return !slices.ContainsFunc(testbed.Children(os.Getpid()), func(pid int) bool { return testbed.State(pid) != "Z" })
		})
	}
}
