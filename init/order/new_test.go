package order

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestNew(t *testing.T) {
	env := []string{"HOME=/home/ann", "PATH=/usr/bin", "SECRET=x", "HOME=/home/bob"}
	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"~/notes", "data"}}}
	o, err := New(p, policy.Library, []string{"server", "--stdio"}, env, "/srv")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{`"/home/bob/notes"`, `"/srv/data"`, `"level": "standard"`, `"minConfinement": "`} {
		if !strings.Contains(string(o.Policy), path) {
			t.Errorf("no %s in %s", path, o.Policy)
		}
	}
	if !slices.Equal(o.Dropped, []string{"SECRET"}) || !slices.Contains(o.Env, "PATH=/usr/bin") || slices.Contains(o.Env, "SECRET=x") {
		t.Errorf("env %v, dropped %v", o.Env, o.Dropped)
	}
	if o.ReportFD != -1 || o.MinWritten || o.Dir != "/srv" || !slices.Equal(o.Command, []string{"server", "--stdio"}) {
		t.Errorf("%+v", o)
	}
	if _, err := policy.ParseCanonical(o.Policy); err != nil {
		t.Errorf("the shim cannot read what it gets: %v", err)
	}
	p.MinConfinement = policy.Full
	if o, err := New(p, policy.Library, []string{"x"}, env, "/"); err != nil || !o.MinWritten {
		t.Errorf("written out: %+v, %v", o, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		policy  policy.Policy
		command []string
		policyE bool
	}{
		"no command":     {policy.Policy{}, nil, false},
		"empty command":  {policy.Policy{}, []string{""}, false},
		"wrong level":    {policy.Policy{Level: "loose"}, []string{"x"}, true},
		"no home":        {policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"~/x"}}}, []string{"x"}, true},
		"glob in a path": {policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{"/tmp/*"}}}, []string{"x"}, true},
	} {
		o, err := New(c.policy, policy.Library, c.command, nil, "/srv")
		var errs policy.Errors
		if err == nil || errors.As(err, &errs) != c.policyE {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

func TestLookup(t *testing.T) {
	env := []string{"A=1", "AB=2", "A=3", "B=", "C"}
	for name, want := range map[string]string{"A": "3", "AB": "2", "B": "", "C": "", "D": "", "": ""} {
		if got := Lookup(env, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// What the shim gets is longer than the document that a user wrote: absolute paths, one a line. It is read all the
// same.
func TestLongPolicy(t *testing.T) {
	doc := `{"version":1,"filesystem":{"denyRead":["-a"` + strings.Repeat(`,"-a"`, policy.MaxDocument/5-20) + "]}}"
	p, err := policy.Parse([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	o, err := New(p, policy.Run, []string{"x"}, nil, "/srv/a/folder/below")
	if err != nil {
		t.Fatal(err)
	}
	got, err := policy.ParseCanonical(o.Policy)
	if err != nil || len(o.Policy) <= policy.MaxDocument || len(got.Filesystem.DenyRead) != len(p.Filesystem.DenyRead) {
		t.Errorf("%d bytes with %d paths, want more than %d with %d: %v", len(o.Policy), len(got.Filesystem.DenyRead), policy.MaxDocument,
			len(p.Filesystem.DenyRead), err)
	}
}

// Of limits those are named that a person wrote out and that limit something, however often a policy is settled.
func TestNamedLimits(t *testing.T) {
	p := policy.Policy{Limits: policy.Limits{CPU: policy.Unlimited, OpenFiles: 100},
		Filesystem: policy.Filesystem{TmpSize: 1 << 20}}
	for range 2 {
		s, err := Settle(p, policy.Library, nil, "/")
		if err != nil {
			t.Fatal(err)
		}
		want := []Named{{"limits.openFiles", "limits.openFiles"}, {"filesystem.tmpSize", "filesystem.tmpSize"}}
		if !slices.Equal(s.Named, want) {
			t.Errorf("%v, want %v", s.Named, want)
		}
		p = s.Written()
	}
	if p.Limits.CPU != policy.Unlimited {
		t.Error("a limit that was taken away is back")
	}
}
