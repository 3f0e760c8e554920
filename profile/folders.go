package profile

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
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
	if arg.Folder {
		path = filepath.Dir(path)
	}
	real, err := filepath.EvalSymlinks(path)
	f := folder{path, real, arg.Grant == Write, arg.Key, source}
	switch {
	case err != nil:
		a.refuse(f, "does not exist, or cannot be looked at")
	case !aFile(real):
		a.refuse(f, "is neither a folder nor a file")
	case a.limits.why(f) != "":
		a.refuse(f, a.limits.why(f))
	default:
		a.folders = append(a.folders, f)
	}
}

// aFile reports whether a path is a folder or a file: a launch refuses the grant of anything else.
func aFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.IsDir() || info.Mode().IsRegular())
}

// refuse leaves the notice of a path that is not granted. What a variable holds stands in no message: a key can stand
// there by mistake.
func (a *applying) refuse(f folder, why string) {
	flag := "--allow-read"
	if f.write {
		flag = "--allow-write"
	}
	if f.name() == f.source {
		a.note(f.source, flag+" PATH", notice.NotGrantedIn(f.source, why, flag))
		return
	}
	a.note(f.written, flag+" "+notice.Shell(f.written), notice.NotGranted(f.source, f.written, why, flag))
}

// name is how a message names the path.
func (f *folder) name() string {
	if strings.HasPrefix(f.source, aVariable) {
		return f.source
	}
	return f.written
}

// holds reports whether inner is folder, or lies below it.
func holds(folder, inner string) bool {
	rest, ok := strings.CutPrefix(inner, folder)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(folder[len(folder)-1]))
}

// grantFolders grants the paths that were taken, but for links that a server could have made: those in a folder which
// it may write.
func (a *applying) grantFolders() {
	var writable []string
	for _, path := range a.to.Filesystem.AllowWrite {
		writable = append(writable, a.limits.found(path, a.dir))
	}
	for _, f := range a.folders {
		if f.write {
			writable = append(writable, f.real)
		}
	}
	for _, f := range a.folders {
		switch {
		case linkIn(f.written, writable):
			a.refuse(f, "leads over a link in a folder that the server may write")
		case f.write:
			a.write(f.written)
		default:
			add(&a.to.Filesystem.AllowRead, f.written)
			a.hostsIn(f, writable)
		}
	}
}

// found is a path of a policy without links, as far as it can be told.
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
		for _, folder := range folders {
			if holds(folder, parent) {
				return true
			}
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
