package wrapping

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// In a user's file the program has a path. It is the user's where that leads to the mcp-sandbox of this user, by links
// which nobody else can change.
func TestProgramsByPath(t *testing.T) {
	d := newDesk(t, one)
	d.Program = filepath.Join(d.Machine.Home, "bin", "mcp-sandbox")
	d.write(d.Program, "")
	f, e := d.plan(Choice{Level: policy.Standard})
	if _, err := f.Change([]*Entry{e}); err != nil {
		t.Fatal(err)
	}
	was := d.text(d.file)
	folder := func(name string, mode os.FileMode) string {
		at := filepath.Join(d.Machine.Home, name)
		if err := errors.Join(os.Mkdir(at, 0o755), os.Chmod(at, mode), os.Symlink(d.Program, at+"/mcp-sandbox")); err != nil {
			t.Fatal(err)
		}
		return at + "/mcp-sandbox"
	}
	older := filepath.Join(d.Machine.Home, "older", "mcp-sandbox")
	d.write(older, "")
	for program, reason := range map[string]string{
		d.Program:              "",
		folder("own", 0o755):   "",
		folder("all", 0o777):   "the program is not yours alone",
		older:                  "starts " + older + ", which is not your mcp-sandbox",
		"/nowhere/mcp-sandbox": "starts /nowhere/mcp-sandbox, which is not your mcp-sandbox",
	} {
		d.write(d.file, strings.Replace(was, d.Program, program, 1))
		_, e := d.plan(Choice{})
		s := e.Status()
		if (s.State == "wrapped") != (reason == "") || !strings.Contains(s.Reason, reason) || s.Reason != e.Left {
			t.Errorf("%s: %+v, left: %s, want %q", program, s, e.Left, reason)
		}
		if _, e := d.plan(Choice{Unwrap: true}); !e.Change {
			t.Errorf("%s: not unwrapped: %s", program, e.Left)
		}
	}
}

// A project's policy that somebody else can change is none, whether the policy is there already or not.
func TestPoliciesOfOthers(t *testing.T) {
	for _, c := range []struct {
		at     string
		mode   os.FileMode
		owner  int  // 0: this user
		ok     bool // the control
		policy bool // the policy is there
	}{
		{"project/.mcp-sandbox", 0o755, 0, true, true}, {"project", 0o755, 0, true, false},
		{"project/.mcp-sandbox/s.json", 0o646, 0, false, true}, {"project/.mcp-sandbox", 0o757, 0, false, true},
		{"project", 0o757, 0, false, true}, {"project", 0o757, 0, false, false},
		{"project/.mcp-sandbox/s.json", 0o644, 4711, false, true}, {"project/.mcp-sandbox", 0o755, 4711, false, true},
		{"project", 0o755, 4711, false, false}, {".", 0o755, 4711, false, false},
	} {
		if c.owner != 0 && os.Geteuid() != 0 {
			continue
		}
		s := newShop(t, "linux")
		s.put(t, filepath.Join(s.project, ".cursor", "mcp.json"), 0o644)
		text := []byte(`{"mcpServers":{"s":{"command":"/usr/bin/true"}}}`)
		err := os.WriteFile(filepath.Join(s.project, ".cursor", "mcp.json"), text, 0o600)
		files, _ := s.Files()
		name := files[0].Entries()[0].policyName()
		lies := policyFile{path: filepath.Join(s.project, projectPolicies, name), project: s.project}
		if c.policy {
			err = errors.Join(err, lies.write(&policy.Policy{Level: policy.Standard}))
		}
		at := filepath.Join(s.top, strings.Replace(c.at, "s.json", name, 1))
		if err = errors.Join(err, os.Chmod(at, c.mode)); c.owner != 0 {
			err = errors.Join(err, os.Lchown(at, c.owner, c.owner))
		}
		if err != nil {
			t.Fatal(err)
		}
		e := s.Plan(files, Choice{Level: policy.Standard})[0]
		if e.Change != c.ok || !c.ok && !strings.Contains(e.Left, "the policy is not yours alone") {
			t.Errorf("%+v: wraps: %t, %s", c, e.Change, e.Left)
		}
	}
}

// What is wide or dangerous is named of each wrapped server, whoever wrote its policy.
func TestWideOfWrapped(t *testing.T) {
	d := newDesk(t, one)
	f, e := d.plan(Choice{Level: policy.LevelNetwork})
	wide := func(e *Entry) bool {
		return slices.ContainsFunc(e.Status().Warnings, func(line string) bool { return strings.HasPrefix(line, "/level: dangerous: ") })
	}
	if _, err := f.Change([]*Entry{e}); err != nil || len(e.Wide()) == 0 {
		t.Fatal(err, e.Wide())
	}
	if _, e := d.plan(Choice{}); !wide(e) {
		t.Errorf("by wrap: %+v", e.Status())
	}
	lies := filepath.Join(d.Policies, "cursor", "s.json")
	d.write(lies, `{"version":1}`)
	if _, e := d.plan(Choice{}); len(e.Status().Warnings) > 0 {
		t.Errorf("nothing wide: %+v", e.Status())
	}
	d.write(lies, `{"version":1,"level":"network"}`)
	if _, e := d.plan(Choice{}); !wide(e) || !strings.Contains(e.Status().Reason, "changed since you wrapped it") {
		t.Errorf("by another: %+v", e.Status())
	}
}
