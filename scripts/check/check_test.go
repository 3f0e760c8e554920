package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each step has a name and a sentence of its own; what contains a step is one of everything; and the nightly
// workflow runs each that no other contains.
func TestSteps(t *testing.T) {
	names := map[string]*step{}
	for i := range steps {
		s := &steps[i]
		if s.name == "" || s.what == "" || s.run == "" || s.reads == "" || names[s.name] != nil {
			t.Errorf("%+v", s)
		}
		names[s.name] = s
	}
	for i := range steps {
		if s := &steps[i]; s.beside != "" && steps[i-1].name != s.beside {
			t.Errorf("%s is not behind %s", s.name, s.beside)
		}
	}
	var nightly []string
	for _, s := range steps {
		if s.within == "" {
			nightly = append(nightly, s.name)
		} else if of := names[s.within]; of == nil || of.gate || of.within != "" || !s.gate {
			t.Errorf("%s is within %q", s.name, s.within)
		}
	}
	text, err := os.ReadFile("../../.github/workflows/check.yml")
	if want := "step: [" + strings.Join(nightly, ", ") + "]\n"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("check.yml has not %s%v", want, err)
	}
	for i := range steps {
		if _, err := sum("../..", &steps[i]); err != nil && !steps[i].head { // a test's copy of the tree has no commit
			t.Errorf("%s: %v", steps[i].name, err)
		}
	}
}

// checkout is a folder with a file that git tracks, as command sum asks for.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"read": "1", "other": "1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := run{root: dir, cache: t.TempDir()}
	if err := r.command(context.Background(), &step{name: "git", run: "git init -q . && git add ."}, os.Stderr); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A step is run again if a file that it reads has changed, or its line, or if it failed, and else not.
func TestAgain(t *testing.T) {
	dir, cache := checkout(t), t.TempDir()
	s := &step{name: "count", run: "echo >>" + cache + "/ran; test ! -e fail", reads: "read new"}
	ran := 0
	for _, c := range []struct {
		name    string
		change  func() error
		runs    bool
		state   string
		outcome bool
	}{
		{"the first time", func() error { return nil }, true, "passed", true},
		{"nothing", func() error { return nil }, false, "passed", true},
		{"a file that is not read", func() error { return os.WriteFile(dir+"/other", []byte("2"), 0o644) }, false, "passed", true},
		{"a file", func() error { return os.WriteFile(dir+"/read", []byte("2"), 0o644) }, true, "passed", true},
		{"its mode", func() error { return os.Chmod(dir+"/read", 0o755) }, true, "passed", true},
		{"a file that git does not track yet", func() error { return os.WriteFile(dir+"/new", nil, 0o644) }, true, "passed", true},
		{"a file is gone", func() error { return os.Remove(dir + "/new") }, true, "passed", true},
		{"the line", func() error { s.run += " "; return nil }, true, "passed", true},
		{"it fails", func() error { s.run += " "; return os.WriteFile(dir+"/fail", nil, 0o644) }, true, "FAILED", false},
		{"it failed before", func() error { return os.Remove(dir + "/fail") }, true, "passed", true},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		r := run{root: dir, cache: cache, again: true}
		r.together(context.Background(), []*step{s})
		text, _ := os.ReadFile(cache + "/ran")
		if n := len(text) - ran; r.results[0].state != c.state || n > 0 != c.runs {
			t.Errorf("%s: %+v, ran %d times", c.name, r.results[0], n)
		}
		ran = len(text)
		if ok := r.summary(new(bytes.Buffer)); ok != c.outcome {
			t.Errorf("%s: went well: %v", c.name, ok)
		}
	}
}

// What the tests of a step tell is in the last lines, and many flaky ones are a failure; what a machine cannot do
// is none.
func TestSummary(t *testing.T) {
	dir := checkout(t)
	for _, c := range []struct {
		flaky int
		ok    bool
	}{{0, true}, {3, true}, {4, false}} {
		r := run{root: dir, cache: t.TempDir()}
		line := "echo '7.25 p TestSlow' >$MCP_SANDBOX_AGAIN/seconds.txt;" +
			strings.Repeat("printf 'p TestFlaky\\n\\tit did not come\\n' >>$MCP_SANDBOX_AGAIN/flaky.txt;", c.flaky)
		for _, s := range []*step{{name: "test", run: line, reads: "read"}, {name: "far", run: "exit 1", reads: "read", needs: "another machine"}} {
			r.together(context.Background(), []*step{s})
		}
		var out bytes.Buffer
		if ok := r.summary(&out); ok != c.ok {
			t.Errorf("%d flaky tests: %v\n%s", c.flaky, ok, &out)
		}
		for _, want := range []string{"7.25 p TestSlow (test)", "cannot", "it takes another machine"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is not in\n%s", want, &out)
			}
		}
		if has := strings.Contains(out.String(), "\n\tit did not come\n"); has != (c.flaky > 0) {
			t.Errorf("%d flaky tests:\n%s", c.flaky, &out)
		}
		// A step with a flaky test is tried again by the next run, and one that cannot run is a failure for who named it.
		if _, err := os.Stat(r.cache + "/passed/test"); (err == nil) != (c.flaky == 0) {
			t.Errorf("%d flaky tests: the step is kept as passed: %v", c.flaky, err)
		}
		if r.named = true; r.summary(new(bytes.Buffer)) {
			t.Errorf("%d flaky tests, and a step that cannot run was named", c.flaky)
		}
	}
}

// An interrupted run says what it did not run, and is a failure.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r := run{root: checkout(t), cache: t.TempDir()}
	r.together(ctx, []*step{{name: "late", run: "true", reads: "read"}})
	var out bytes.Buffer
	if r.summary(&out) || !strings.Contains(out.String(), "not run") {
		t.Errorf("%s", &out)
	}
}

// Two steps run at once: each ends only if the other has begun. What the second prints comes in one piece.
func TestTogether(t *testing.T) {
	dir, cache := checkout(t), t.TempDir()
	meet := func(own, other string) string {
		return "echo " + own + "; touch " + cache + "/" + own + "; for i in $(seq 600); do [ ! -e " + cache + "/" + other + " ] || exit 0; sleep 0.1; done; exit 1"
	}
	r := run{root: dir, cache: cache}
	r.together(context.Background(), []*step{{name: "a", run: meet("one", "two"), reads: "read"}, {name: "b", run: meet("two", "one"), reads: "read"}})
	if len(r.results) != 2 || r.results[0].state != "passed" || r.results[1].state != "passed" {
		t.Errorf("%+v", r.results)
	}
}
