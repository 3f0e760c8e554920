package launch

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// An Explained is the plan of the first attempt of Start, with its reasons.
type Explained struct {
	Files       *fsview.Explained
	Filter      seccomp.Options
	Unfiltered  bool          // there is no filter
	Policy      policy.Policy // effective
	Confinement policy.Confinement
	Open        bool // files are held back by nothing
	Landlock    bool // the kernel has it
}

// Explain plans the first attempt of Start.
func (l *Launch) Explain() (*Explained, error) {
	a, err := l.foresee()
	if err != nil {
		return nil, err
	}
	r := viewRequest(&a.Sandbox)
	files, err := fsview.Explain(r)
	if err != nil {
		return nil, refusedView(err)
	}
	filter := filterOptions(&a.Sandbox)
	filter.Egress = pairs(l)
	filter.Notify = filter.Egress
	return &Explained{Files: files, Filter: filter, Policy: l.Policy, Confinement: a.Confinement,
		Unfiltered: a.Confinement == policy.None || l.Ladder.NoFilter,
		Open:       r.Open, Landlock: a.Machine.LandlockABI > 0}, nil
}
