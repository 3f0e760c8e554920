package matrix

import (
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// row is the one of a name.
func row(t *testing.T, name string) Row {
	t.Helper()
	for _, r := range Rows() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no row %s", name)
	return Row{}
}

// asExpected is what a machine would show of which an expectation holds.
func asExpected(e *Expectation) *Observed {
	release := e.Kernel + "0-cloud"
	o := &Observed{Kernel: release, UID: e.UID, LandlockABI: e.LandlockABI}
	if e.Confinement == "" {
		o.Code = exitRefused
		o.Refused = &order.Refused{Layer: e.Refused.Layer, Op: e.Refused.Op, Errno: e.Refused.Errno, Hint: "before " + e.Refused.Hint + " after"}
		return o
	}
	o.Ran, o.Secret, o.Group, o.Limits = true, e.denial(), e.Group, e.Limits
	o.Enforced = &order.Enforced{Kernel: release, Confinement: e.Confinement, LandlockABI: e.LandlockABI}
	for _, name := range order.Layers() {
		l := order.LayerReport{Layer: name, State: order.Proved, Facts: []order.Fact{{Name: "a", Want: "1", Got: "1"}}}
		if slices.Contains(e.Absent, name) {
			l = order.LayerReport{Layer: name, State: order.Absent, Reason: "why", Effect: "what"}
		}
		for _, text := range e.Lacking {
			if fact, ok := cutLayer(text, name); ok {
				l.Facts = append(l.Facts, order.Fact{Name: fact, Want: "1", Reason: "why", Effect: "what"})
			}
		}
		o.Enforced.Layers = append(o.Enforced.Layers, l)
	}
	return o
}

func cutLayer(text string, l order.Layer) (string, bool) {
	prefix := string(l) + ": "
	if len(text) > len(prefix) && text[:len(prefix)] == prefix {
		return text[len(prefix):], true
	}
	return "", false
}

// Every row of the table holds where it should, and with any one thing changed it does not.
func TestRowsCanFail(t *testing.T) {
	for _, r := range Rows() {
		e := r.Expect
		o := asExpected(&e)
		if d := e.Compare(o); d != nil {
			t.Errorf("%s: %q", r.Name, d)
		}
		if undetected := e.Undetected(o); undetected != nil {
			t.Errorf("%s holds as well with another %q", r.Name, undetected)
		}
	}
}

// What the product must not do, whatever was expected.
func TestCompareOfBadReports(t *testing.T) {
	for name, change := range map[string]func(*Observed){
		"absent without reason":  func(o *Observed) { o.Enforced.Layers[5].Reason = "" },
		"absent without effect":  func(o *Observed) { o.Enforced.Layers[5].Effect = "" },
		"lacking without reason": func(o *Observed) { o.Enforced.Layers[7].Facts[1].Reason = "" },
		"a layer less":           func(o *Observed) { o.Enforced.Layers = o.Enforced.Layers[1:] },
		"a layer off":            func(o *Observed) { o.Enforced.Layers[8].State = order.Off },
		"the server failed":      func(o *Observed) { o.Code = 1 },
		"the server never ran":   func(o *Observed) { o.Ran = false },
		"another kernel":         func(o *Observed) { o.Enforced.Kernel += "1" },
		"both":                   func(o *Observed) { o.Refused = &order.Refused{} },
		"a group left behind":    func(o *Observed) { o.LeftBehind = []string{"/x"} },
		"the secret was read":    func(o *Observed) { o.Secret = "" },
		"neither":                func(o *Observed) { o.Enforced = nil },
	} {
		e := row(t, "6.1-user").Expect
		o := asExpected(&e)
		if change(o); e.Compare(o) == nil {
			t.Errorf("%s: holds", name)
		}
	}
}
