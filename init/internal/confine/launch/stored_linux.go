package launch

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/keep/installed"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// installs are the folders of the store that an order names.
type installs struct {
	pack, stage *installed.Folder // open; nil for none
	seen        fsview.Stored
}

// openAll opens the folders for a launch. All attempts share them, and the lock of the package is held until the launch
// ends.
func (i *installs) openAll(l *Launch) (err error) {
	o, user := l.Order, l.Machine.OuterUID
	if o.Package != nil {
		var interrupted error
		held := func() error { interrupted = l.Interrupt.Check(nil); return interrupted }
		i.pack, err = installed.Open(o.Package.Path, user, held)
		if interrupted != nil {
			return interrupted
		}
		if err != nil {
			return refusedStored("package", err)
		}
		if i.seen.Package, err = opened(i.pack, o.Package.Path); err != nil {
			return refusedStored("package", err)
		}
	}
	if o.Stage != "" {
		if i.stage, err = installed.OpenStage(o.Stage, user); err != nil {
			return refusedStored("stage", err)
		}
		if i.seen.Stage, err = opened(i.stage, o.Stage); err != nil {
			return refusedStored("stage", err)
		}
	}
	return nil
}

// foresee looks at the folders, and keeps none open.
func (i *installs) foresee(l *Launch) error {
	defer i.close()
	return i.openAll(l)
}

// close gives the lock back.
func (i *installs) close() {
	i.pack.Close()
	i.stage.Close()
}

// opened is a folder for the plan of the server's view.
func opened(f *installed.Folder, given string) (o fsview.Opened, err error) {
	var st unix.Stat_t
	if err := unix.Fstat(f.FD, &st); err != nil {
		return o, &os.PathError{Op: "stat", Path: f.Path, Err: err}
	}
	return fsview.Opened{Path: f.Path, Given: given, FileID: platform.StatID(&st)}, nil
}

// refusedStored is the refusal of a folder of the store.
func refusedStored(op string, err error) error {
	path := ""
	for p, ok := errors.AsType[*os.PathError](err); ok; p, ok = errors.AsType[*os.PathError](err) {
		path, err = p.Path, p.Err
	}
	return &order.Refusal{Layer: order.Policy, Op: op, Path: path, Err: err}
}
