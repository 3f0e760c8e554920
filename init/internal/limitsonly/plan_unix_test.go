//go:build darwin || linux

package limitsonly

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A command is a file of its own, or the first in PATH that can be executed.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]os.FileMode{"a/run": 0o755, "b/run": 0o644, "b/data": 0o644, "b/folder/x": 0o755} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, path, want string }{
		{"run", ":relative:" + dir + "/b:" + dir + "/a", "a/run"}, {"a/run", "", "a/run"}, {dir + "/a/run", "", "a/run"},
		{"data", dir + "/b", "not executable"}, {"folder", dir + "/b", "not executable"}, {"run", "", "not found"},
		{"b/data", "", "not executable"}, {"a/none", "", "not found"}, {"a/run/none", "", "not found"},
	} {
		got, err := find(&order.Order{Command: []string{c.name}, Dir: dir, Env: []string{"PATH=" + c.path}})
		switch c.want {
		case "not found":
			if !errors.Is(err, fsview.ErrNotFound) {
				t.Errorf("%s in %q: %q, %v", c.name, c.path, got, err)
			}
		case "not executable":
			if !errors.Is(err, fsview.ErrNotExecutable) {
				t.Errorf("%s in %q: %q, %v", c.name, c.path, got, err)
			}
		default:
			if got != filepath.Join(dir, c.want) || err != nil {
				t.Errorf("%s in %q: %q, %v, want %s", c.name, c.path, got, err, c.want)
			}
		}
	}
}

// A line arrives as it was written, but for line breaks, and an error with its number.
func TestLines(t *testing.T) {
	var b bytes.Buffer
	writeLine(&b, "fact", "limits", "a b", "", "two\nlines")
	writeLine(&b, "error", "13", "permission denied")
	r := bufio.NewReader(&b)
	if words, err := readLine(r); err != nil || !slices.Equal(words, []string{"fact", "limits", "a b", "", "two lines"}) {
		t.Errorf("%q, %v", words, err)
	}
	if words, err := readLine(r); !errors.Is(err, syscall.EACCES) || err.Error() != "permission denied" {
		t.Errorf("%q, %v, want EACCES", words, err)
	}
	if words, err := readLine(r); err == nil {
		t.Errorf("%q at the end", words)
	}
}

// Each limit of a policy has a fact: one that is set, or one with the reason why there is none.
func TestEachLimitHasAFact(t *testing.T) {
	p := &plan{user: ownIDs(), policy: policy.Policy{Umask: "0077", Limits: policy.Limits{FileSize: 1, OpenFiles: 2, CPU: 500,
		Pids: 3, Memory: 4, AddressSpace: 5}}}
	for _, p.PidsWritten = range []bool{false, true} {
		var names []string
		for _, l := range *newLimits(p) {
			names = append(names, l.name)
		}
		for _, f := range absentLimits(p) {
			if names = append(names, f.Name); f.Reason == "" || f.Effect == "" || f.Got != "" {
				t.Errorf("%+v", f)
			}
		}
		for _, want := range []string{"core", "file size", "open files", "data", "address space", "cpu rate", "processes"} {
			if !slices.Contains(names, want) {
				t.Errorf("%s is not among %q", want, names)
			}
		}
	}
	p.user.uid++
	want := []demand{{order.Descriptors, "descriptors"}, {order.Descriptors, "umask"}, {order.Privileges, "ids"},
		{order.Privileges, groupsFact}, {order.Privileges, "setuid 0"}}
	if got := p.demanded(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
}

// Every system has a reason and an effect for every layer that is absent.
func TestLacks(t *testing.T) {
	for _, system := range []string{"darwin", "windows", "linux"} {
		for _, l := range layers(nil, &policy.Policy{Level: policy.Standard}, system) {
			if l.State != order.Absent || l.Reason == "" || l.Effect == "" {
				t.Errorf("%s: %+v", system, l)
			}
		}
	}
	l := order.LayerReport{Facts: []order.Fact{{Name: "a", Reason: "none", Effect: "some"}}}
	if l.Conclude(); l.State != order.Absent || l.Reason != "none" {
		t.Errorf("%+v, want it absent", l)
	}
}
