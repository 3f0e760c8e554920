package try

import (
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

// row is the one of a name.
func row(t *testing.T, name string) matrix.Row {
	t.Helper()
	for _, r := range matrix.Rows() {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no row %s", name)
	return matrix.Row{}
}

// asExpected is what a machine would show of which an expectation holds.
func asExpected(e *matrix.Expectation) *observed {
	release := e.Kernel + "0-cloud"
	o := &observed{Kernel: release, UID: e.UID, LandlockABI: e.LandlockABI}
	if e.Confinement == "" {
		o.Code = exitRefused
		o.Refused = &order.Refused{Layer: e.Refused.Layer, Op: e.Refused.Op, Errno: e.Refused.Errno, Hint: "before " + e.Refused.Hint + " after"}
		return o
	}
	o.Ran, o.Secret, o.Group, o.Limits = true, denial(e), e.Group, e.Limits
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
	for _, r := range matrix.Rows() {
		e := r.Expect
		o := asExpected(&e)
		if d := compare(&e, o); d != nil {
			t.Errorf("%s: %q", r.Name, d)
		}
		if all := undetected(&e, o); all != nil {
			t.Errorf("%s holds as well with another %q", r.Name, all)
		}
	}
}

// What the product must not do, whatever was expected.
func TestCompareOfBadReports(t *testing.T) {
	for name, change := range map[string]func(*observed){
		"absent without reason":  func(o *observed) { o.Enforced.Layers[5].Reason = "" },
		"absent without effect":  func(o *observed) { o.Enforced.Layers[5].Effect = "" },
		"lacking without reason": func(o *observed) { o.Enforced.Layers[7].Facts[1].Reason = "" },
		"a layer less":           func(o *observed) { o.Enforced.Layers = o.Enforced.Layers[1:] },
		"a layer off":            func(o *observed) { o.Enforced.Layers[8].State = order.Off },
		"the server failed":      func(o *observed) { o.Code = 1 },
		"the server never ran":   func(o *observed) { o.Ran = false },
		"another kernel":         func(o *observed) { o.Enforced.Kernel += "1" },
		"both":                   func(o *observed) { o.Refused = &order.Refused{} },
		"a group left behind":    func(o *observed) { o.LeftBehind = []string{"/x"} },
		"the secret was read":    func(o *observed) { o.Secret = "" },
		"neither":                func(o *observed) { o.Enforced = nil },
	} {
		e := row(t, "6.1-user").Expect
		o := asExpected(&e)
		if change(o); compare(&e, o) == nil {
			t.Errorf("%s: holds", name)
		}
	}
}

func TestCompareDiagnosis(t *testing.T) {
	reached, refused := matrix.Expectation{Confinement: full}, matrix.Expectation{}
	for _, c := range []struct {
		e    matrix.Expectation
		d    diagnosis
		good bool
	}{
		{reached, diagnosis{"full", 0}, true},
		{reached, diagnosis{"reduced", 0}, false},
		{reached, diagnosis{"full", 1}, false},
		{refused, diagnosis{"limits", 1}, true},
		{refused, diagnosis{"limits", 0}, false},
	} {
		if got := compareDiagnosis(&c.e, c.d); (got == nil) != c.good {
			t.Errorf("%q with %+v: %q", c.e.Confinement, c.d, got)
		}
	}
}
