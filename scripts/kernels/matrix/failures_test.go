package matrix

import (
	"fmt"
	"strings"
	"testing"
)

const parallel = `=== RUN   TestA
=== PAUSE TestA
=== RUN   TestB
    b_test.go:7: b says
        on two lines
=== RUN   TestB/one
=== RUN   TestB/two
    b_test.go:9: two says
=== CONT  TestA
    a_test.go:3: fine
=== NAME  TestB/two
    b_test.go:10: and more
--- FAIL: TestB (0.20s)
    --- PASS: TestB/one (0.00s)
    --- FAIL: TestB/two (0.10s)
--- PASS: TestA (0.30s)
=== RUN   TestC
    c_test.go:1: not here
--- SKIP: TestC (0.00s)
FAIL
---- 3-x took 0.5 s
`

func TestFailures(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{parallel, `--- FAIL: TestB (0.20s)
    b_test.go:7: b says
        on two lines
--- FAIL: TestB/two (0.10s)
    b_test.go:9: two says
    b_test.go:10: and more
--- SKIP: TestC (0.00s)
    c_test.go:1: not here`},
		{"=== RUN   TestD\nfrom the server\npanic: test timed out after 6m0s\n\trunning tests:\n\t\tTestD (5m58s)\n\ngoroutine 9 [running]:\nf()\n",
			"panic: test timed out after 6m0s\n\trunning tests:\n\t\tTestD (5m58s)\ngoroutine 9 [running]:\nf()"},
		{"a server said\n---- 2-x took 4.7 s\n", "a server said"},
		{"=== RUN   TestE\nkilled here\n", "=== RUN   TestE\nkilled here"},
		{"", ""},
	} {
		if got := strings.Join(failures(c.text), "\n"); got != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, got, c.want)
		}
	}
}

// Whatever a step printed, what is kept of it is short, and the beginning and the end of what a test says are.
func TestFailuresAreShort(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "=== RUN   Test%d\n", i)
		for n := range 100 {
			fmt.Fprintf(&b, "    x_test.go:%d: %s\n", n, strings.Repeat("é", mostBytes))
		}
		fmt.Fprintf(&b, "--- FAIL: Test%d (0.00s)\n", i)
	}
	got := failures(b.String())
	if most := mostTests*(mostLines+2) + 1; len(got) > most || !strings.Contains(got[1], ":0: ") || !strings.Contains(got[mostLines+1], ":99: ") {
		t.Errorf("%d lines, want at most %d: %q", len(got), most, got[:min(len(got), mostLines+2)])
	}
	for _, line := range got {
		if len(line) > mostBytes+len("…") || strings.ToValidUTF8(line, "") != line {
			t.Errorf("%d bytes: %q", len(line), line)
		}
	}
	if got := failures(strings.Repeat("a line\n", 100)); len(got) != mostLines {
		t.Errorf("of a step without tests %d lines are kept", len(got))
	}
}

func TestQuiet(t *testing.T) {
	const want = `=== RUN   TestB
    b_test.go:7: b says
        on two lines
=== RUN   TestB/two
    b_test.go:9: two says
=== CONT  TestA
    a_test.go:3: fine
=== NAME  TestB/two
    b_test.go:10: and more
--- FAIL: TestB (0.20s)
    --- FAIL: TestB/two (0.10s)
=== RUN   TestC
    c_test.go:1: not here
--- SKIP: TestC (0.00s)
FAIL
---- 3-x took 0.5 s
`
	if got := Quiet(parallel); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
