package wrapping

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/file"
)

// Diff is what changing the entries does to their file, as a unified diff without the values of variables, of headers
// and of other settings.
func (f *File) Diff(entries []*Entry) (string, error) {
	after, err := f.rewrite(f.document, entries)
	if err != nil {
		return "", err
	}
	d, err := edit.Open(after, f.form, f.scope.ours)
	if err != nil {
		return "", err
	}
	_, text, _ := bytes.Cut(diff.Diff(f.Path, f.document.Masked(), f.Path, d.Masked()), []byte("\n")) // "diff A B"
	return string(text), nil
}

// errMeanwhile is why a server is not changed that another program changed since the user was asked.
var errMeanwhile = errors.New("was changed meanwhile: type the command again")

// rewrite is the file with those entries changed that are to be changed, wherever they are by now.
func (f *File) rewrite(d *edit.Document, entries []*Entry) ([]byte, error) {
	var changes []edit.Change
	for _, e := range entries {
		if !e.Change {
			continue
		}
		i := find(e, d)
		if i < 0 {
			return nil, fmt.Errorf("server %q %w", e.Name, errMeanwhile)
		}
		c := edit.Change{Server: i}
		if e.State == edit.Plain {
			c.Program, c.Policy = e.program(), e.argument()
		} else if e.Made != nil { // whose policy alone is taken over
			c.Program = e.Program
		}
		changes = append(changes, c)
	}
	return d.Rewrite(changes)
}

// find is the place of the server in a document that was read later; -1 for a server that is another by now.
func find(e *Entry, d *edit.Document) int {
	nth := 0
	for i, s := range d.Servers() {
		switch {
		case s.Name != e.Name || s.Under != e.Under:
		case nth < e.nth:
			nth++
		case reflect.DeepEqual(s, e.Server) && slices.Equal(d.Variables(i), e.Variables()):
			return i
		default:
			return -1
		}
	}
	return -1
}

// Change writes the policies of servers that are wrapped, and then the file, while no other mcp-sandbox of the user
// writes either. What another program wrote into the file meanwhile stays. Policies of servers that are unwrapped stay
// too: their user may have changed them. The result names the backup of the file.
func (f *File) Change(entries []*Entry) (file.Result, error) {
	var written []string
	var policies error
	result, err := f.target.Change(func(old []byte) ([]byte, error) {
		d, err := edit.Open(old, f.form, f.scope.ours)
		if err != nil {
			return nil, err
		}
		after, err := f.rewrite(d, entries)
		if err != nil {
			return nil, err
		}
		more, err := writePolicies(entries)
		written, policies = append(written, more...), err
		return after, err
	})
	if policies != nil {
		err = policies // which names the policy, and no host's file
	}
	if err != nil && len(written) > 0 {
		err = errors.Join(err, file.Alone(func() error { return f.forget(written) }))
	}
	return result, err
}

// Settle ends what a killed mcp-sandbox began with the file.
func (f *File) Settle() error { return f.target.Settle() }

// forget removes policies that no server of the file has: a change can fail when the file was replaced already.
func (f *File) forget(policies []string) (err error) {
	now := &File{scope: f.scope, Host: f.Host, Path: f.Path, form: f.form}
	if now.read() != nil {
		return nil
	}
	entries := now.Entries()
	for _, path := range policies {
		if !slices.ContainsFunc(entries, func(e *Entry) bool { return e.Policy == path }) {
			err = errors.Join(err, policyFile{path, f.scope.Project}.remove())
		}
	}
	return err
}

// writePolicies has the policies there with which the user was told the servers would be wrapped. The result names
// those that were not there.
func writePolicies(entries []*Entry) (written []string, err error) {
	for _, e := range entries {
		if !e.Change || e.Made == nil {
			continue
		}
		there, err := e.policyFile().read()
		switch {
		case err != nil:
			return written, err
		case there == nil:
			if err := e.policyFile().write(&e.Made.Policy); err != nil {
				return written, err
			}
			written = append(written, e.Policy)
		case !bytes.Equal(there.AppendJSON(nil), e.Made.Policy.AppendJSON(nil)):
			return written, fmt.Errorf("%s %w", e.Policy, errMeanwhile)
		}
		if err := e.policyFile().remember(&e.Made.Policy); err != nil {
			return written, err
		}
	}
	return written, nil
}

// Restore unwraps one server, and removes the policy that was written for it.
func (s *Scope) Restore(e *Entry) error {
	files, _ := s.Files()
	for _, f := range files {
		if f.Path != e.File.Path {
			continue
		}
		for _, now := range s.Plan([]*File{f}, Choice{Unwrap: true, Servers: []string{e.Name}}) {
			if !now.Change || now.Under != e.Under || now.nth != e.nth {
				continue
			}
			if _, err := f.Change([]*Entry{now}); err != nil || e.Kept {
				return err
			}
			return e.policyFile().remove()
		}
	}
	return fmt.Errorf("no wrapped server %q is in %s", e.Name, e.File.Path)
}
