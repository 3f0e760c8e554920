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
		{[]Result{pass, fail}, "2 rows run, 1 passed, 0 skipped; FAILED: b", false},
		{[]Result{fail, c, pass, fail}, "3 rows run, 1 passed, 1 skipped; FAILED: b b; c: not served", false},
		{[]Result{c}, "0 rows run, 0 passed, 1 skipped; c: not served", false},
		{[]Result{c, pass, e, d}, "1 rows run, 1 passed, 3 skipped; c d: not served; e: not asked for", true},
	} {
		if line, ok := Summary(x.results); line != x.line || ok != x.ok {
			t.Errorf("%v: %q, %v", x.results, line, ok)
		}
	}
}

func TestFailed(t *testing.T) {
	results := []Result{{Row: "a"}, {Row: "b", Reasons: []string{"1-x: exit status 1 TestY\n--- FAIL: TestY (0s)\n    y.go:1: why", "2-z: ran no test"}}, {Row: "c", Skipped: "not served"}}
	const want = `kernels: b: FAILED
    1-x: exit status 1 TestY
        --- FAIL: TestY (0s)
            y.go:1: why
    2-z: ran no test
`
	if got := Failed(results); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
