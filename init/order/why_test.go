package order

import (
	"encoding/json"
	"strings"
	"testing"
)

// An allowance is true, false or "depends", in both directions, and nothing else is one.
func TestAllowance(t *testing.T) {
	for text, want := range map[string]Allowance{"true": ActAllowed, "false": ActDenied, `"depends"`: ActDepends} {
		b, err := json.Marshal(want)
		if err != nil || string(b) != text {
			t.Errorf("%s is written %s, %v", want, b, err)
		}
		var got Allowance
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is read as %q, %v", text, got, err)
		}
	}
	for _, text := range []string{`"allowed"`, "1", "{}"} {
		if err := json.Unmarshal([]byte(text), new(Allowance)); err == nil {
			t.Errorf("%s is an allowance", text)
		}
	}
}

// Each kind of question is one, and what is wrong with others is said.
func TestQuestion(t *testing.T) {
	for _, q := range []Question{{Path: "/a", Op: OpRead}, {Path: "/a/../b", Op: OpExec}, {Socket: "/s"}, {Host: "h"},
		{Host: "h", Port: 1}, {Syscall: "read"}, {Variable: "A"}} {
		if err := q.Check(); err != nil {
			t.Errorf("%+v: %v", q, err)
		}
	}
	for want, q := range map[string]Question{
		"one question at a time":       {},
		"no absolute path":             {Path: "a", Op: OpRead},
		"s: no absolute path":          {Socket: "s"},
		"an op is one of a path":       {Host: "h", Op: OpRead},
		"is none of read, write":       {Path: "/a"},
		"append is none of read":       {Path: "/a", Op: "append"},
		"a NUL byte":                   {Syscall: "a\x00"},
		"one question at a time, abou": {Path: "/a", Op: OpRead, Socket: "/s"},
	} {
		if err := q.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", q, err, want)
		}
	}
}

// A proved launch decides about hosts where the policy does not.
func TestProvedHosts(t *testing.T) {
	held := LayerReport{Layer: Network, State: Proved, Facts: []Fact{{Name: FactDomains, Want: "reachable", Reason: "a reason", Effect: "an effect"}}}
	unfiltered := LayerReport{Layer: Seccomp, State: Absent, Reason: "no seccomp"}
	for _, c := range []struct {
		confinement string
		layer       LayerReport
		want        Allowance
	}{
		{"reduced", held, ActDenied}, {"limits", held, ActDenied}, {"limits", unfiltered, ActAllowed}, {"reduced", unfiltered, ""},
		{"full", LayerReport{Layer: Network, State: Proved}, ""}, {"limits", LayerReport{Layer: Seccomp, State: Proved}, ""},
	} {
		e := &Enforced{Confinement: c.confinement, Layers: []LayerReport{c.layer}}
		a, ok := (&Question{Host: "a.example"}).Proved(e)
		if ok != (c.want != "") || a.Allowed != c.want {
			t.Errorf("%s, %+v: %+v", c.confinement, c.layer, a)
		}
		if _, ok := (&Question{Path: "/a"}).Proved(e); ok {
			t.Errorf("%s: about a path", c.confinement)
		}
	}
}
