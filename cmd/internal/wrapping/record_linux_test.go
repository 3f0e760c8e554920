package wrapping

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// The policy of a wrapped server is known for as long as it says what the user saw, by whichever way its folder is
// named; how it is written does not matter. Without a record nobody knows.
func TestRecords(t *testing.T) {
	d := newDesk(t, one)
	f, e := d.plan(Choice{Level: policy.Standard})
	if _, err := f.Change([]*Entry{e}); err != nil {
		t.Fatal(err)
	}
	lies := filepath.Join(d.Policies, "cursor", "s.json")
	reason := func() string {
		t.Helper()
		_, e := d.plan(Choice{})
		s := e.Status()
		if s.State != "wrapped" || e.Change != (s.Reason != "") || e.Left != "" { // wrap takes over what was not seen
			t.Errorf("%+v, change: %t, left: %s", s, e.Change, e.Left)
		}
		return s.Reason
	}
	if got := reason(); got != "" {
		t.Errorf("as wrapped: %s", got)
	}
	was := d.text(lies)
	d.write(lies, " "+strings.ReplaceAll(was, "\n", "\r\n"))
	if got := reason(); got != "" {
		t.Errorf("written otherwise: %s", got)
	}
	for _, changed := range []string{strings.Replace(was, "standard", "network", 1), strings.Replace(was, `1,`, `1, "umask": "0077",`, 1)} {
		d.write(lies, changed)
		if got := reason(); !strings.Contains(got, lies+" changed since you wrapped it") {
			t.Errorf("%s\n%s", got, changed)
		}
	}
	f, e = d.plan(Choice{})
	entry := d.text(d.file)
	if _, err := f.Change([]*Entry{e}); err != nil || d.text(d.file) != entry || reason() != "" {
		t.Errorf("taken over: %v, %s\n%s", err, reason(), d.text(d.file))
	}
	d.write(lies, was)
	f, e = d.plan(Choice{})
	d.write(lies, strings.Replace(was, "standard", "network", 1))
	if _, err := f.Change([]*Entry{e}); !errors.Is(err, errMeanwhile) || reason() == "" {
		t.Errorf("taken over, and changed meanwhile: %v", err)
	}
	d.write(lies, was)
	f, e = d.plan(Choice{})
	if _, err := f.Change([]*Entry{e}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(d.Machine.Home, d.Machine.Home+"2"); err != nil {
		t.Fatal(err)
	}
	p, err := policy.Parse([]byte(was))
	if err != nil {
		t.Fatal(err)
	}
	for path, ok := range map[string]bool{lies: true, d.Machine.Home + "2/policies/cursor/s.json": true, lies + "x": false} {
		if err := (policyFile{path: path}).known(&p); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := os.RemoveAll(filepath.Join(d.Machine.Home, "state")); err != nil {
		t.Fatal(err)
	}
	if got := reason(); !strings.Contains(got, "not by you: no wrap of yours wrote its policy "+lies) {
		t.Error(got)
	}
}
