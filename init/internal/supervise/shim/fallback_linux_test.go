package shim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// What a launch falls back to is no less proved: a kernel whose proc does not know hidepid gets another mount of it, and
// that one is missed as well when it is taken away.
func TestProcWithoutHidepid(t *testing.T) {
	s := build(t, "")
	var mounts []altered.Op
	for _, op := range s.List(t, altered.Standard) {
		if strings.Contains(op.Line, `mount("proc", "proc", "proc"`) {
			mounts = append(mounts, op)
		}
	}
	if len(mounts) != 2 || !mounts[0].Ran || mounts[1].Ran {
		t.Fatalf("%+v", mounts)
	}
	l := s.Launch(altered.Standard, "fallback")
	l.Wrong = mounts[0].Index
	o := altered.Run(t, l)
	report, _ := json.Marshal(o.Report)
	if o.Code != 0 || !s.Ran(&o, "fallback") || !strings.Contains(string(report), "process 1 can be seen") {
		t.Errorf("code %d\n%s\n%s", o.Code, report, o.Stderr)
	}
	l = s.Launch(altered.Standard, "without")
	l.Wrong, l.Op, l.Line = mounts[0].Index, mounts[1].Index, mounts[1].Line
	s.Refused(t, l, "without")
}

// A machine that refuses a call which init makes while the shim still plans is told of by that call, as the machine's
// refusal, whatever the shim could not do any more because init had ended.
func TestFirstCallsRefused(t *testing.T) {
	s := build(t, "")
	l := s.Launch(altered.Standard, "refused")
	l.Unknown = slices.IndexFunc(s.List(t, altered.Standard), func(o altered.Op) bool { return strings.Contains(o.Line, " sendto(") })
	o := altered.Run(t, l)
	report, _ := json.Marshal(o.Report)
	told := strings.Contains(string(report), `"layer":"network","op":"syscall 4095"`)
	if o.Code != 125 || !told || !strings.Contains(o.Stderr, "let the server start with less confinement") || s.Ran(&o, "refused") {
		t.Errorf("code %d\n%s\n%s", o.Code, report, o.Stderr)
	}
}
