package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A failed test is run again where its bound expired or its machine refused, and nowhere else.
func TestVerdict(t *testing.T) {
	const module = "github.com/security-mcp/mcp-sandbox/"
	const late, wrong = "    x_test.go:1: the first line did not come\n", "    x_test.go:2: got 1, want 2\n"
	one := func(name, output string) tests {
		return tests{{Name: name, Output: "=== RUN   " + name + "\n" + output}}
	}
	for _, c := range []struct {
		pkg, name string
		failed    tests
		want      string // a part of the reason against it
	}{
		{"store", "TestX", one("TestX", late), ""},
		{"store", "TestX", one("TestX", "    x_test.go:3: listen tcp 127.0.0.1:80: bind: address already in use\n"), ""},
		{"store", "TestX", append(one("TestX", "--- FAIL: TestX (0.00s)\n"), one("TestX/a", "    x_test.go:3: read: i/o timeout\n")...), ""},
		{"store", "TestX", one("TestX", wrong), "no bound expired"},
		{"store", "TestX", one("TestX", late+wrong), "no bound expired"},
		{"store", "TestX", one("TestX", "    x_test.go:3: refused, want address already in use or bind: denied\n"), "no bound expired"},
		{"store", "TestX", append(one("TestX/a", late), one("TestX/b", wrong)...), "TestX/b: no bound"},
		{"store", "TestX", append(one("TestX", wrong), one("TestX/a", late)...), "TestX: no bound"},
		{"store", "TestX", one("TestX", "it did not come\n"), "does not say why"},
		{"store", "TestX", one("TestX", late+"WARNING: DATA RACE\n"), "data race"},
		{"store", "TestX", one("TestX", late+"panic: it did not come\n"), "panic"},
		{"store", "TestX", one("TestX", late+"fatal error: concurrent map writes\n"), "panic"},
		{"store", "TestDescriptors", one("TestDescriptors", late), "one failure in fifty"},
		{"store", "TestKilledAtAnyMoment", one("TestKilledAtAnyMoment", late), "one failure in fifty"},
		{"init/internal/confine/seccomp", "TestEveryRuleIsMissed", one("TestEveryRuleIsMissed", late), "one failure in fifty"},
		{"init/internal/supervise/shim", "TestX", one("TestX", late), "one failure in fifty"},
		{"init/internal/test/escape", "TestX", one("TestX", late), "one failure in fifty"},
		{"init/internal/test/endings", "TestX", one("TestX", late), "one failure in fifty"},
		{"init/internal/egress/dial", "TestX", one("TestX", late), "one failure in fifty"},
		{"launcher", "TestX", one("TestX", late), "one failure in fifty"},
		{"store", "", one("TestX", late), "no test of that name"}, // a TestMain that failed
		{"store", "TestX", nil, "no test of that name"},
	} {
		for i := range c.failed {
			c.failed[i].Package = module + c.pkg
		}
		got := Verdict(module+c.pkg, c.name, c.failed)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s %s %+v: %q, want %q", c.pkg, c.name, c.failed, got, c.want)
		}
	}
}

// What the first run wrote down is what a second one is judged by.
func TestRecord(t *testing.T) {
	r := newRecord()
	for _, part := range []string{
		`{"Action":"output","Package":"p","Test":"TestA","Output":"it did not come\n"}` + "\n" + `{"Action":"fa`,
		`il","Package":"p","Test":"TestA","Elapsed":1.5}` + "\n",
		`{"Action":"output","Package":"p","Test":"TestB/x","Output":"lost\n"}` + "\n" + `{"Action":"pass","Package":"p","Test":"TestB/x"}` + "\n",
		`{"Action":"pass","Package":"p","Test":"TestB","Elapsed":0.25}` + "\n" + `no JSON` + "\n" + `{"Action":"fail","Package":"p"}` + "\n",
	} {
		if n, err := r.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	folder := t.TempDir()
	if err := r.keep(folder); err != nil {
		t.Fatal(err)
	}
	failed, err := readFailed(filepath.Join(folder, failedFile))
	if err != nil || len(failed) != 1 || failed[0] != (test{"p", "TestA", "it did not come\n"}) {
		t.Errorf("%+v, %v", failed, err)
	}
	if of := append(failed.of("p", "Test"), failed.of("q", "TestA")...); of != nil {
		t.Errorf("of other tests: %+v", of)
	}
	seconds, err := os.ReadFile(filepath.Join(folder, secondsFile))
	if want := "1.50 p TestA\n0.25 p TestB\n"; err != nil || string(seconds) != want {
		t.Errorf("%q, %v, want %q", seconds, err, want)
	}
	if !r.passed[[2]string{"p", "TestB"}] || r.passed[[2]string{"p", "TestA"}] {
		t.Errorf("passed: %v", r.passed)
	}
	// A test that failed otherwise fails once more, without being run.
	var out bytes.Buffer
	if err := refuse(&out, "p", "TestA", "because"); err != nil || !strings.Contains(out.String(), `"Action":"fail","Package":"p","Test":"TestA"`) {
		t.Errorf("%s, %v", &out, err)
	}
}
