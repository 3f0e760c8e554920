package wrapping

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// mostPolicy is how many bytes a policy may have.
const mostPolicy = 1 << 20

// errNoLevel is why a policy is not used that confines nothing: an entry that names mcp-sandbox looks confined.
var errNoLevel = errors.New("is of level privileged, which confines nothing: change or remove the policy")

// A policyFile is where the policy of a server lies, or is to lie.
type policyFile struct {
	path    string
	project string // empty: in the user's folder of policies
}

func (e *Entry) policyFile() policyFile { return policyFile{e.Policy, e.File.scope.Project} }

// check is why another user could decide what lies there, or nil.
func (f policyFile) check() error {
	root, err := f.open(false)
	if err == nil {
		info, missing := root.Lstat(filepath.Base(f.path))
		root.Close()
		if missing == nil && !info.Mode().IsRegular() { // run would follow a link
			return fmt.Errorf("%s is no policy: remove what lies there", f.path)
		}
		err = folder.TrustedFile(f.path)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return yours("the policy", err)
}

// yours names what another user can change.
func yours(what string, err error) error {
	if _, unfit := errors.AsType[folder.Unfit](err); unfit {
		return fmt.Errorf("%s is not yours alone: %w", what, err)
	}
	return err
}

// read is the policy that lies there, or nil.
func (f policyFile) read() (*policy.Policy, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	root, err := f.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer root.Close()
	name := filepath.Base(f.path)
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > mostPolicy) {
		err = fmt.Errorf("%s is no policy: remove what lies there", f.path)
	}
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(file, mostPolicy))
	if err != nil {
		return nil, err
	}
	p, err := policy.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	if p.Level == policy.Privileged {
		return nil, fmt.Errorf("%s %w", f.path, errNoLevel)
	}
	return &p, nil
}

// policyProblem is why a wrapped server does not start, is not confined, or is confined by another policy than its user
// saw; nil if its policy is fine.
func (e *Entry) policyProblem() error {
	there, err := e.policyFile().read()
	if err == nil && there == nil {
		err = fmt.Errorf("its policy %s is missing: type unwrap, and then wrap", e.Policy)
	} else if err == nil {
		err = e.policyFile().known(there)
	}
	if err != nil {
		return fmt.Errorf("is wrapped, but %w", err)
	}
	return nil
}

// open opens the folder of the policy. The folder of a project may be a stranger's: a link there is followed
// nowhere.
func (f policyFile) open(create bool) (*os.Root, error) {
	dir := filepath.Dir(f.path)
	if f.project == "" { // of another user's home root makes nothing, and follows no link there
		real, err := folder.Trusted(dir, create)
		if err != nil {
			return nil, err
		}
		return os.OpenRoot(real)
	}
	if _, err := folder.Trusted(f.project, false); err != nil {
		return nil, err
	}
	if create {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	written, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(written, opened) {
		root.Close()
		return nil, fmt.Errorf("%s is a link: policies lie in a folder of the project itself", dir)
	}
	if _, err := folder.Trusted(dir, false); err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// remove removes the policy.
func (f policyFile) remove() error {
	root, err := f.open(false)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.Remove(filepath.Base(f.path))
}

// write has this policy there, in one step.
func (f policyFile) write(p *policy.Policy) error {
	root, err := f.open(true)
	if err != nil {
		return err
	}
	defer root.Close()
	return replace(root, filepath.Base(f.path), p.AppendJSON(nil))
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

// share writes the paths of a project's policy so that they hold for others who have the project too: those in the
// project against the policy's folder, others in the home with "~/".
func share(paths []string, project, home string) []string {
	homes := []struct{ folder, written string }{{project, ".."}, {home, "~"}}
	if real, err := filepath.EvalSymlinks(project); err == nil {
		homes = append(homes[:1:1], struct{ folder, written string }{real, ".."}, homes[1])
	}
	all := make([]string, len(paths))
	for i, path := range paths {
		all[i] = path
		optional := ""
		if path[0] == '-' {
			optional, path = "-", path[1:]
		}
		for _, h := range homes {
			if below, err := filepath.Rel(h.folder, path); err == nil && filepath.IsLocal(below) {
				all[i] = optional + filepath.ToSlash(filepath.Join(h.written, below))
				break
			}
		}
	}
	return all
}
