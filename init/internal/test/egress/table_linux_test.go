package egress_test

import (
	"strings"
	"testing"
)

// sandbox4 and sandbox6 are the addresses of a sandbox itself, where its name server answers.
const (
	sandbox4 = "198.18.0.1"
	sandbox6 = "fd6d:6370:7362::1"
)

// A row is an act inside and what must come of it.
type row struct {
	name string
	act  string
	text string // what is got, if it goes well
	err  string // else the error: one of several between "|", or "any"
}

// rows makes the acts of all rows in one launch, and holds each against its row. A table has at least one row that goes
// well: its control.
func (l launch) rows(t *testing.T, rows ...row) *ended {
	t.Helper()
	var acts []string
	well := 0
	for _, r := range rows {
		if acts = append(acts, r.act); r.err == "" {
			well++
		}
	}
	if well == 0 {
		t.Fatal("nothing in this table goes well")
	}
	e := l.acts(t, acts...)
	for i, r := range rows {
		r.hold(t, e.Results[i])
	}
	if t.Failed() {
		t.Logf("denied: %s\nstandard error:\n%s", e.Denied, &e.Stderr)
	}
	return e
}

func (r row) hold(t *testing.T, got result) {
	t.Helper()
	switch {
	case r.err == "" && got.Error != "":
		t.Errorf("%s: %s: want it to go well", r.name, got)
	case r.err == "" && r.text != "" && got.Text != r.text:
		t.Errorf("%s: %s: want %q", r.name, got, r.text)
	case r.err != "" && (got.Error == "" || got.Error == "timeout" && !oneOf("timeout", r.err)), r.err != "any" && !oneOf(got.Error, r.err):
		t.Errorf("%s: %s: want %s", r.name, got, r.err)
	}
}

func oneOf(got, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if got == word || word != "" && strings.HasPrefix(got, word+":") {
			return true
		}
	}
	return false
}
