package limitsonly

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/keep/installed"
)

// installs are the folders of the store that an order names, open; nil for none. Here nothing shows or hides them: they
// are looked at, and the package is locked for as long as the server runs.
type installs struct{ pack, stage *installed.Folder }

// open opens the folders. An error of held ends the wait for the lock.
func (i *installs) open(p *plan, held func() error) (err error) {
	if p.Package == nil && p.Stage == "" {
		return nil
	}
	owner := p.stateOwner()
	if owner.Chown {
		op, path := "stage", p.Stage
		if p.Package != nil {
			op, path = "package", p.Package.Path
		}
		return refusedPath(op, path, errors.New("the server of a root launcher, which is another user, "+
			"cannot enter root's folders: start the launcher as the server's user"))
	}
	if p.Package != nil {
		var interrupted error
		wait := func() error { interrupted = held(); return interrupted }
		i.pack, err = installed.Open(p.Package.Path, owner.UID, wait)
		if interrupted != nil {
			return interrupted
		}
		if err != nil {
			return refusedStored("package", p.Package.Path, err)
		}
	}
	if p.Stage != "" {
		if i.stage, err = installed.OpenStage(p.Stage, owner.UID); err != nil {
			return refusedStored("stage", p.Stage, err)
		}
	}
	return nil
}

func (i *installs) close() {
	i.pack.Close()
	i.stage.Close()
}

// refusedStored is the refusal of a folder of the store, or of one above.
func refusedStored(op, path string, err error) error {
	for p, ok := errors.AsType[*os.PathError](err); ok; p, ok = errors.AsType[*os.PathError](err) {
		path, err = p.Path, p.Err
	}
	return refusedPath(op, path, err)
}
