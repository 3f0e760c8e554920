package limitsonly

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/keep/state"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// privateFolders are the folders in the private one. On Windows programs expect two in a home.
func privateFolders() []string {
	folders := []string{fsview.PrivateHome, fsview.PrivateTmp}
	if runtime.GOOS == "windows" {
		folders = append(folders, fsview.PrivateHome+`\AppData\Roaming`, fsview.PrivateHome+`\AppData\Local`)
	}
	return folders
}

// privateVariables lead to the private folders. On Windows GetTempPath takes TMP, else TEMP.
func privateVariables(home, tmp string) []string {
	if runtime.GOOS != "windows" {
		return []string{"HOME=" + home, "TMPDIR=" + tmp}
	}
	drive := filepath.VolumeName(home)
	return []string{"TEMP=" + tmp, "TMP=" + tmp, "TMPDIR=" + tmp, "HOME=" + home, "USERPROFILE=" + home,
		"HOMEDRIVE=" + drive, "HOMEPATH=" + home[len(drive):],
		"APPDATA=" + home + `\AppData\Roaming`, "LOCALAPPDATA=" + home + `\AppData\Local`}
}

// openHome is the home in the private folder, or the folder of a state. On Windows programs expect two folders in a
// home. A link in the place of one gains nothing: without a file barrier the server writes wherever its user can.
func (p *plan) openHome() (home string, err error) {
	if p.policy.State == "" {
		return filepath.Join(p.private.Path, fsview.PrivateHome), nil
	}
	owner := p.stateOwner()
	if owner.Chown {
		return "", refusedPath("state", p.policy.State, errors.New("the server of a root launcher, which is another "+
			"user, cannot enter root's folders: start the launcher as the server's user"))
	}
	if p.Probe { // which makes nothing that lasts
		if _, err = state.Foresee(p.policy.State, owner); err != nil {
			return "", p.refusedState(err)
		}
		return filepath.Join(p.private.Path, fsview.PrivateHome), nil
	}
	owner.Maker = p.Maker()
	p.lasts, err = state.Open(p.policy.State, owner)
	if err != nil {
		return "", p.refusedState(err)
	}
	for _, folder := range privateFolders() {
		if rest, inside := strings.CutPrefix(folder, fsview.PrivateHome+`\`); inside && runtime.GOOS == "windows" {
			if err = os.MkdirAll(filepath.Join(p.lasts.Path, rest), 0o700); err != nil {
				return "", refusedPath("state", p.lasts.Path, err)
			}
		}
	}
	return p.lasts.Path, nil
}

// refusedState is the refusal of a state, or of a folder above it.
func (p *plan) refusedState(err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		return refusedPath("state", path.Path, err)
	}
	return refusedPath("state", p.policy.State, err)
}

// stateFacts show that the home is the folder of the state, which this process has locked.
func (p *plan) stateFacts() []order.Fact {
	if p.lasts == nil {
		return nil
	}
	f := order.Fact{Name: "home of state " + p.policy.State, Want: p.lasts.Path, Got: order.Lookup(p.Env, "HOME")}
	if info, err := os.Lstat(p.lasts.Path); err != nil || !info.IsDir() {
		f.Got, f.Reason, f.Effect = "", "it is no folder any more", "the server has no home"
	}
	return []order.Fact{f}
}

// openPrivate makes the folder for the server's temporary files and its home, and points the server's
// environment there. In level privileged both are the host's.
func (p *plan) openPrivate() (err error) {
	if p.policy.Level == policy.Privileged {
		return nil
	}
	if p.private, err = privdir.Make(privateRequest(p.user)); err != nil {
		return &order.Refusal{Layer: order.Descriptors, Op: "make the private folder", Err: err}
	}
	home, err := p.openHome()
	if err != nil {
		return err
	}
	own := privateVariables(home, filepath.Join(p.private.Path, fsview.PrivateTmp))
	env := make([]string, 0, len(p.Env)+len(own))
	for _, e := range p.Env {
		if name, _, _ := strings.Cut(e, "="); order.Lookup(own, name) == "" {
			env = append(env, e)
		}
	}
	p.Env = append(env, own...)
	return nil
}
