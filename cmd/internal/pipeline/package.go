package pipeline

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Prepare finds the package of a start in the store, or installs the package. The result is nil where the command runs
// as it is; of a machine without the package's manager there is a note on that.
func (l *Line) Prepare(s *Start, d *Decision) (r *install.Ready, note []string, err error) {
	if s.Package == nil || d.Policy.Level == policy.Privileged { // the policy's file says so
		return nil, nil, nil
	}
	r, err = l.Install.Prepare(s.Package, d.Policy.Level, d.Policy.OnHostExit != policy.Ignore)
	if errors.Is(err, install.ErrNoManager) {
		return nil, []string{err.Error() + AsItIs}, nil
	}
	return r, nil, err
}

// Find is [Line.Prepare] for a command that installs nothing. The error is store.ErrNone where the package is not
// there.
func (l *Line) Find(s *Start) (*install.Ready, error) {
	if s.Package == nil {
		return nil, nil
	}
	r, err := l.Install.Find(s.Package)
	if errors.Is(err, install.ErrNoManager) {
		return nil, nil
	}
	return r, err
}

// DecideOwner decides again with the profile of the package that has the program, where a start names several.
func (l *Line) DecideOwner(s *Start, d *Decision, r *install.Ready) (*Decision, []string) {
	if r == nil || len(s.Package.Specs) == 1 || l.Profile != "" {
		return d, nil
	}
	if p, err := l.profileOf(s, r.Owner); p == nil || err != nil {
		return d, errorLines(err)
	}
	return l.Decide(s, r)
}

func errorLines(err error) []string {
	if err == nil {
		return nil
	}
	return []string{err.Error()}
}
