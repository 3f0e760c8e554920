package shim_test

import (
	"encoding/json"
	"strings"
	"testing"
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
