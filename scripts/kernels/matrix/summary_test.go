package matrix

import "testing"

func TestSummary(t *testing.T) {
	pass, fail := Result{Row: "a"}, Result{Row: "b", Reasons: []string{"why"}}
	c, d, e := Result{Row: "c", Skipped: "not served"}, Result{Row: "d", Skipped: "not served"}, Result{Row: "e", Skipped: "not asked for"}
	for _, x := range []struct {
		results []Result
		line    string
		ok      bool
	}{
		{nil, "0 rows run, 0 passed, 0 skipped", false},
		{[]Result{pass}, "1 rows run, 1 passed, 0 skipped", true},
		{[]Result{pass, fail}, "2 rows run, 1 passed, 0 skipped", false},
		{[]Result{c}, "0 rows run, 0 passed, 1 skipped; c: not served", false},
		{[]Result{c, pass, e, d}, "1 rows run, 1 passed, 3 skipped; c d: not served; e: not asked for", true},
	} {
		if line, ok := Summary(x.results); line != x.line || ok != x.ok {
			t.Errorf("%v: %q, %v", x.results, line, ok)
		}
	}
}
