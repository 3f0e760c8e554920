package matrix

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// Each kernel is tried as root and as an ordinary user with every suite, and no row is empty or there twice.
func TestTable(t *testing.T) {
	seen, kernels := map[string]bool{}, Kernels()
	for _, r := range Rows() {
		if seen[r.Name] || !strings.HasPrefix(r.Name, r.Kernel+"-") || kernels[r.Kernel].Release != r.Expect.Kernel {
			t.Errorf("%s: kernel %q, expecting %q", r.Name, r.Kernel, r.Expect.Kernel)
		}
		if err := r.Expect.Check(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
		if r.Missing != "" && !r.Optional {
			t.Errorf("%s is required and cannot run", r.Name)
		}
		seen[r.Name] = true
		if slices.Contains(r.Suites, Suite{"platform", ".", true}) {
			seen[fmt.Sprint(r.Kernel, " ", r.Expect.UID)] = true
		}
	}
	for _, k := range []string{"6.1", "6.12"} {
		for _, uid := range []string{"0", "1000"} {
			if !seen[k+" "+uid] {
				t.Errorf("no row with every suite for kernel %s, uid %s", k, uid)
			}
		}
	}
	var bad Expectation
	if bad.Check() == nil {
		t.Error("an empty expectation passes its check")
	}
}

// The packages are there. A pattern that names subtests names one test, or it would leave out subtests of the others.
func TestPatterns(t *testing.T) {
	for _, r := range Rows() {
		for _, s := range r.Suites {
			if tests, _, some := strings.Cut(s.Run, "/"); some && strings.Contains(tests, "|") {
				t.Errorf("%s: %s", s.Package, s.Run)
			}
			if _, err := os.Stat(filepath.Join("..", "..", "..", s.Package)); err != nil {
				t.Errorf("%s: %v", r.Name, err)
			}
		}
	}
}

// good is a job, its status and an output that pass.
func good(t *testing.T) (job.Job, job.Status, string) {
	r := Row{Name: "x", Suites: []Suite{{"platform", ".", true}}, Expect: Rows()[0].Expect}
	j, err := r.Job("/stage", "/checkout")
	if err != nil {
		t.Fatal(err)
	}
	if len(j.Steps) != 2 || j.Steps[1].Dir != "/checkout/platform" || j.Steps[1].Argv[0] != "/stage/platform.test" {
		t.Fatalf("%+v", j.Steps)
	}
	return j, job.Status{Codes: map[string]int{"try": 0, "1-platform": 0}, Done: true},
		"[ 0.1] kernel\n" + job.Mark("try") + "\n--- PASS: TestRow (1.00s)\r\n" + job.Mark("1-platform") + "\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nPASS\n"
}

func TestJudge(t *testing.T) {
	j, s, out := good(t)
	if reasons, tests := Judge(&j, s, out); reasons != nil || tests != 3 {
		t.Errorf("%d tests, %q", tests, reasons)
	}
	for name, c := range map[string]struct {
		change func(*job.Status, *string)
		says   string
	}{
		"cut off":       {func(s *job.Status, _ *string) { s.Done = false }, "end"},
		"trouble":       {func(s *job.Status, _ *string) { s.Troubles = []string{"mount"} }, "mount"},
		"failed":        {func(s *job.Status, _ *string) { s.Codes["1-platform"] = 1 }, "status 1"},
		"never ran":     {func(s *job.Status, _ *string) { delete(s.Codes, "1-platform") }, "never ran"},
		"no comparison": {func(s *job.Status, o *string) { *o = strings.Replace(*o, "--- PASS: TestRow", "", 1) }, "try: ran no test"},
		"no test":       {func(s *job.Status, o *string) { *o = strings.ReplaceAll(*o, "--- PASS", "") }, "ran no test"},
		"skip":          {func(s *job.Status, o *string) { *o += "--- SKIP: TestC (0.00s)\n" }, "skipped TestC"},
		"failed how": {func(s *job.Status, o *string) {
			s.Codes["1-platform"] = 1
			*o += "=== RUN   TestC\n    c.go:1: why\n--- FAIL: TestC (0s)\n"
		}, "1-platform: exit status 1 TestC\n--- FAIL: TestC (0s)\n    c.go:1: why"},
		"hangs":         {func(s *job.Status, o *string) { s.Done = false; delete(s.Codes, "1-platform") }, "end, in 1-platform\n--- PASS: TestA"},
		"stops between": {func(s *job.Status, _ *string) { s.Done = false }, "end, after 1-platform\n"},
		"boots never":   {func(s *job.Status, o *string) { *s, *o = job.Status{}, "[ 0.1] panic\n" }, "end, before the first step\n[ 0.1] panic"},
		"panic before a trace": {func(s *job.Status, o *string) {
			*s, *o = job.Status{}, "[ 0.1] Kernel panic - not syncing: x\n"+strings.Repeat("[ 0.1] f+0x1\n", 2*mostLines)
		}, "not syncing: x"},
		"skip below": {func(s *job.Status, o *string) { *o = strings.Replace(*o, "PASS: TestA/b", "SKIP: TestA/b", 1) }, "skipped TestA/b"},
	} {
		j, s, out := good(t)
		c.change(&s, &out)
		if reasons, _ := Judge(&j, s, out); !slices.ContainsFunc(reasons, func(r string) bool { return strings.Contains(r, c.says) }) {
			t.Errorf("%s: %q", name, reasons)
		}
	}
}
