package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A folder is a path that a source names.
type folder struct {
	written string // absolute and clean, links in it as they are
	real    string // without links
	write   bool
	key     string // of hosts in it
	source  string // how messages name it: an argument by its path, a variable by its name alone
}

// folder takes a path that is to be granted, or leaves a notice.
func (a *applying) folder(arg *Argument, source, value string) {
	path := value
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.dir, path)
	}
	path = filepath.Clean(path)
	file := path
	if arg.Folder {
		path = filepath.Dir(path)
	}
	f, err := lookAt(arg, source, path)
	alone := false
	if err == nil && arg.Folder && filepath.Base(file)[0] != '.' && a.limits.why(f) != "" && !a.byHand.has(f) {
		f, err = lookAt(arg, source, file) // a folder of other things: the file alone, which has to be there
		alone = true
	}
	switch {
	case err != nil && alone:
		a.refuse(f, "would lie in a folder of other things: make that file first", false)
	case err != nil:
		a.refuse(f, "does not exist, or cannot be looked at: make it first", false)
	case !aFile(f.real):
		a.refuse(f, "is neither a folder nor a file", false)
	case a.limits.why(f) != "":
		a.refuse(f, a.limits.why(f), true)
	default:
		a.folders = append(a.folders, f)
	}
}

// lookAt is a path of a source, with where the path leads.
func lookAt(arg *Argument, source, path string) (folder, error) {
	real, err := filepath.EvalSymlinks(path)
	return folder{path, real, arg.Grant == Write, arg.Key, source}, err
}

// aFile reports whether a path is a folder or a file: a launch refuses the grant of anything else.
func aFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// refuse leaves the notice of a path that is not granted. A variable's value stands in no message: a key can stand
// there by mistake. grantable is false where no flag grants the path as it is now.
func (a *applying) refuse(f folder, why string, grantable bool) {
	flag := ""
	switch {
	case a.byHand.has(f):
		return
	case grantable && f.write:
		flag = "--allow-write"
	case grantable:
		flag = "--allow-read"
	}
	if f.name() == f.source {
		a.note(f.source, typed(flag, "PATH"), notice.NotGrantedIn(f.source, why, flag))
		return
	}
	a.note(f.written, typed(flag, text.Shell(f.written)), notice.NotGranted(f.source, f.written, why, flag))
}

// typed is a flag with its value; "" for no flag.
func typed(flag, value string) string {
	if flag == "" {
		return ""
	}
	return flag + " " + value
}

// name is how a message names the path.
func (f *folder) name() string {
	if strings.HasPrefix(f.source, aVariable) {
		return f.source
	}
	return f.written
}

// grantFolders grants the paths that were taken, but for links that a server could have made: those in a folder which
// it may write.
func (a *applying) grantFolders() {
	writable := a.limits.allFound(a.to.Filesystem.AllowWrite, a.dir)
	for _, f := range a.folders {
		if f.write {
			writable = append(writable, f.real)
		}
	}
	for _, f := range a.folders {
		if linkIn(f.written, writable) {
			a.refuse(f, "leads over a link in a folder that the server may write", false)
			continue
		}
		a.leads = append(a.leads, order.Lead{Path: f.written, To: f.real})
		if f.write {
			a.write(f.written)
			continue
		}
		add(&a.to.Filesystem.AllowRead, f.written)
		a.hostsIn(f, writable)
	}
}

// allFound are paths of a policy without links.
func (l *limits) allFound(paths []string, dir string) (all []string) {
	for _, path := range paths {
		all = append(all, l.found(path, dir))
	}
	return all
}

// found is a path of a policy without links, if it leads somewhere.
func (l *limits) found(path, dir string) string {
	path = strings.TrimPrefix(path, "-")
	if rest, ok := strings.CutPrefix(path, "~"); ok {
		path = l.home + rest
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// linkIn reports whether a path leads over a symbolic link that lies in one of the folders. Each link on the way is
// looked at, those behind other links too.
func linkIn(path string, folders []string) bool {
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		target, err := os.Readlink(at)
		if err != nil {
			continue
		}
		parent, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil {
			return true
		}
		if slices.ContainsFunc(folders, func(folder string) bool { return platform.Within(parent, folder) }) {
			return true
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(parent, target)
		}
		if linkIn(target, folders) {
			return true
		}
	}
	return false
}
