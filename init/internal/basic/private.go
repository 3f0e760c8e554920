package basic

import (
	"path/filepath"
	"runtime"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/privdir"
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

// privateVariables lead to the private folders. On Windows TEMP is what GetTempPath takes.
func privateVariables(dir string) []string {
	home, tmp := filepath.Join(dir, fsview.PrivateHome), filepath.Join(dir, fsview.PrivateTmp)
	if runtime.GOOS != "windows" {
		return []string{"HOME=" + home, "TMPDIR=" + tmp}
	}
	drive := filepath.VolumeName(home)
	return []string{"TEMP=" + tmp, "TMP=" + tmp, "TMPDIR=" + tmp, "HOME=" + home, "USERPROFILE=" + home,
		"HOMEDRIVE=" + drive, "HOMEPATH=" + home[len(drive):],
		"APPDATA=" + home + `\AppData\Roaming`, "LOCALAPPDATA=" + home + `\AppData\Local`}
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
	own := privateVariables(p.private.Path)
	env := make([]string, 0, len(p.Env)+len(own))
	for _, e := range p.Env {
		if name, _, _ := strings.Cut(e, "="); order.Lookup(own, name) == "" {
			env = append(env, e)
		}
	}
	p.Env = append(env, own...)
	return nil
}
