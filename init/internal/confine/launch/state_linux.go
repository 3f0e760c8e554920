package launch

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// lasting is the home of a policy with a state.
type lasting struct {
	folder *state.Folder // nil if there is none, or if it is only foreseen
	path   string
	id     platform.FileID
}

// owner is the server's user, to whom the folder belongs.
func (l *Launch) owner() state.Owner {
	m := &l.Machine
	return state.Owner{UID: m.OuterUID, GID: m.OuterGID, Chown: m.Root, Maker: l.Order.Maker()}
}

// openState opens the folder of the policy's state. All attempts share it, and the lock is held until the launch ends.
// A probe makes nothing that lasts: it has a private home.
func (l *Launch) openState() (err error) {
	switch {
	case l.Policy.State == "":
		return nil
	case l.Order.Probe:
		err = l.foreseeState()
		l.lasts = lasting{}
		return err
	}
	if l.lasts.folder, err = state.Open(l.Policy.State, l.owner()); err != nil {
		return refusedState(l.Policy.State, err)
	}
	var st unix.Stat_t
	if err = unix.Fstat(l.lasts.folder.FD, &st); err != nil {
		return refusedState(l.lasts.folder.Path, err)
	}
	l.lasts.path, l.lasts.id = l.lasts.folder.Path, platform.StatID(&st)
	return nil
}

// foreseeState says where the folder would be, and makes nothing.
func (l *Launch) foreseeState() (err error) {
	if l.Policy.State == "" {
		return nil
	}
	if l.lasts.path, err = state.Foresee(l.Policy.State, l.owner()); err != nil {
		return refusedState(l.Policy.State, err)
	}
	return nil
}

// makePlaces makes in the folder the mount points of the view.
func (l *Launch) makePlaces(v *fsview.View) error {
	if l.lasts.folder == nil {
		return nil
	}
	all := make([]state.Place, len(v.Places))
	for i, p := range v.Places {
		all[i] = state.Place(p)
	}
	if err := l.lasts.folder.Make(l.owner(), all); err != nil {
		return refusedState(l.Policy.State, err)
	}
	return nil
}

// checkLasting refuses a state, and folders of the store, that the server could not enter: where no namespace hands a
// folder over, the folders above it are the launcher's alone.
func (s *Sandbox) checkLasting() error {
	o := s.launch.Order
	op, path := "state", s.launch.Policy.State
	switch {
	case !s.Machine.Root:
		return nil
	case path != "":
	case o.Package != nil:
		op, path = "package", o.Package.Path
	case o.Stage != "":
		op, path = "stage", o.Stage
	default:
		return nil
	}
	err := errors.New("in confinement " + string(s.Confinement) + " the server of a root launcher, which is another " +
		"user, cannot enter root's folders: start the launcher as the server's user")
	return &order.Refusal{Layer: order.Policy, Op: op, Path: path, Err: err}
}

// checkOwn refuses a launch's own file in a home that lasts: the server of that home could choose the next policy or
// the next variables, or write a report of its own.
func (l *Launch) checkOwn() error {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return nil // there are no states
	}
	states := followed(p.States()) + "/"
	for _, own := range l.ownFiles() {
		if own != "" && (strings.HasPrefix(followed(own), states) || strings.HasPrefix(path.Clean(own), states)) {
			return &order.Refusal{Layer: order.Policy, Op: "launch", Path: own, Err: errors.New("lies in a home that " +
				"lasts, where a server can change it: keep it elsewhere")}
		}
	}
	return nil
}

// makeOwn makes those of this product's folders that the server could make, in a write grant: a later launch, or wrap,
// would believe the files there. Where [folder.Trusted] refuses to make one, because another user could change it,
// nothing that lies there is believed either. A probe makes nothing that lasts.
func makeOwn(l *Launch) error {
	p, err := places.Of(os.Getenv)
	if err != nil || l.Order.Probe || l.Policy.Level == policy.Privileged {
		return nil
	}
	for _, own := range p.Folders() {
		if canMake(l.Policy.Filesystem.AllowWrite, own) {
			_, _ = folder.Trusted(own, true)
		}
	}
	return nil
}

// canMake reports whether a folder is missing, and one of the write grants has the folder in which it would lie.
func canMake(grants []string, folder string) bool {
	above := folder
	for {
		if _, err := os.Stat(above); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = path.Dir(above)
	}
	return above != folder && slices.ContainsFunc(grants, func(grant string) bool {
		return strings.HasPrefix(followed(above)+"/", followed(strings.TrimPrefix(grant, "-"))+"/")
	})
}

// followed is where a path leads.
func followed(name string) string {
	if to, err := filepath.EvalSymlinks(name); err == nil {
		return to
	}
	return path.Clean(name)
}

// ownFiles are the files that decide of the launch, and the one that tells of it; "" for none.
func (l *Launch) ownFiles() []string {
	o := l.Order
	return append([]string{o.PolicyFile, o.ReportFile, o.Launcher}, o.EnvFiles...)
}

// ours are the files and folders of this product.
func (l *Launch) ours() fsview.Ours {
	ours := fsview.Ours{Own: l.ownFiles(), State: l.lasts.path, StateID: l.lasts.id, Stored: l.installs.seen}
	if p, err := places.Of(os.Getenv); err == nil { // else there are none
		ours.Folders, ours.Reports, ours.Store = p.Folders(), p.Reports(), p.Store()
	}
	return ours
}

// refusedState is the refusal of a state, or of a path in it.
func refusedState(what string, err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		what, err = p.Path, p.Err
	}
	return &order.Refusal{Layer: order.Policy, Op: "state", Path: what, Err: err}
}
