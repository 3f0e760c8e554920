package wrapping

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/security-mcp/mcp-sandbox/hosts/edit"
	"github.com/security-mcp/mcp-sandbox/hosts/file"
	"github.com/security-mcp/mcp-sandbox/policy"
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
		i := slices.IndexFunc(d.Servers(), func(s edit.Server) bool {
			return s.Name == e.Name && s.Under == e.Under && s.State == e.State && slices.Equal(s.Command, e.Command)
		})
		if i < 0 {
			return nil, fmt.Errorf("server %q %w", e.Name, errMeanwhile)
		}
		c := edit.Change{Server: i}
		if e.State == edit.Plain {
			c.Program, c.Policy = e.program(), e.argument()
		}
		changes = append(changes, c)
	}
	return d.Rewrite(changes)
}

// Change writes the policies of servers that are wrapped, and then the file. What another program wrote into the file
// meanwhile stays. Policies of servers that are unwrapped stay too: their user may have changed them. The result names
// the backup of the file.
func (f *File) Change(entries []*Entry) (file.Result, error) {
	for _, e := range entries {
		if e.Change && e.Made != nil && !e.Kept {
			if err := e.writePolicy(); err != nil {
				return file.Result{}, err
			}
		}
	}
	return f.target.Change(func(old []byte) ([]byte, error) {
		d, err := edit.Open(old, f.form, f.scope.ours)
		if err != nil {
			return nil, err
		}
		return f.rewrite(d, entries)
	})
}

// mostPolicy is how many bytes a policy may have.
const mostPolicy = 1 << 20

// policyThere is the policy that lies where the server's is to be written.
func (e *Entry) policyThere() (*policy.Policy, error) {
	info, err := os.Lstat(e.Policy)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > mostPolicy:
		return nil, fmt.Errorf("%s is no policy", e.Policy)
	}
	text, err := os.ReadFile(e.Policy)
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Policy, err)
	}
	return &p, nil
}

// writePolicy writes the policy of a server in one step.
func (e *Entry) writePolicy() error {
	folder, mode := filepath.Dir(e.Policy), fs.FileMode(0o700)
	if e.File.scope.Project != "" {
		mode = 0o755
	}
	if err := os.MkdirAll(folder, mode); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, filepath.Base(e.Policy), e.Made.Policy.AppendJSON(nil))
}

// replace has a file of this name with this text.
func replace(root *os.Root, name string, text []byte) error {
	next := "." + name + ".new"
	if err := root.Remove(next); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := root.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(next, name)
	}
	if err != nil {
		err = errors.Join(err, root.Remove(next))
	}
	return err
}

// Restore unwraps one server, and removes the policy that was written for it.
func (s *Scope) Restore(e *Entry) error {
	files, _ := s.Files()
	for _, f := range files {
		if f.Path != e.File.Path {
			continue
		}
		for _, now := range s.Plan([]*File{f}, Choice{Unwrap: true, Servers: []string{e.Name}}) {
			if !now.Change || now.Under != e.Under {
				continue
			}
			if _, err := f.Change([]*Entry{now}); err != nil || e.Kept {
				return err
			}
			return os.Remove(e.Policy)
		}
	}
	return fmt.Errorf("no wrapped server %q is in %s", e.Name, e.File.Path)
}
