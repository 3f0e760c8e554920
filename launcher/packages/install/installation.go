package install

import (
	"os"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// tests are for tests, which cannot wait as long nor write as much.
type tests struct {
	stall    time.Duration   // how long an install may stand still; 0 is for the usual
	home     policy.Quantity // the size of an install's private home; 0 is the policy's own
	stranger bool            // no variable is the user's word
	user     string          // the user's home; "" is that of this process's user
}

// An installation is one call of Prepare.
type installation struct {
	Options
	store *store.Store
	start *startline.Start
	row   *job.Manager
	from  origin
	lines []string // for Ready.Lines
}

func newInstallation(in *store.Store, start *startline.Start, o Options) *installation {
	i := &installation{store: in, start: start, Options: o, row: managerOf(start.Manager)}
	if i.Env == nil {
		i.Env = os.Environ()
	}
	if at, err := filepath.Abs(i.Dir); err == nil { // else the working folder is gone, and no project's
		i.Dir = at
	}
	i.from = origin{Options: &i.Options, start: start, row: i.row, user: userOf(&i.Options)}
	return i
}

// wanted returns the start's search of the store, and the question that its source depends on.
func (i *installation) wanted() (w store.Wanted, q *job.Question, err error) {
	if q, err = i.from.question(); err != nil {
		return w, nil, err
	}
	source, err := i.from.source(q)
	return store.Wanted{Manager: i.start.Manager, Source: source, Specs: i.start.Specs}, q, err
}
