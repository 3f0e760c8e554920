// Package file reads the files of MCP hosts, and replaces one while the host may write it too.
//
//	t, err := file.At("/home/ann/.claude.json")
//	f, err := t.Read()
//	result, err := t.Change(func(old []byte) ([]byte, error) { return changed(old) })
//
// The new text lies complete on the disk before both change places in one step, so that there is the old file or the
// new one at any time, also if this process is killed. It lies where no confined server can write into it, unless the
// disk is another than the user's state folder's. What came out is compared with what was read: a host that wrote
// in between has both put back, and the change is made again from what the host wrote, five times at most. Mode, owner,
// group and extended attributes stay; a symbolic link stays, and the file that it leads to is replaced.
//
// A host that has the old file open for writing counts as one that wrote: on Linux the kernel tells of such a one
// (F_SETLEASE, fcntl(2), taken and given back at once). Elsewhere what a host writes into the old file after the
// exchange is lost. Windows exchanges two files in two steps (ReplaceFile), and keeps both under some name.
//
// Refused is what belongs to another user, what is no regular file, what has a second name (a hard link), what is
// larger than [MaxSize], and a file system that cannot exchange files.
package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// MaxSize is how many bytes a file may have.
const MaxSize = 16 << 20

var (
	errNotOurs  = errors.New("belongs to another user: that user can change the file")
	errGroup    = errors.New("belongs to a group that is none of this user's: a new file cannot be given to that group")
	errKind     = errors.New("no regular file")
	errLinks    = errors.New("has a second name (a hard link): what replaces the file here would not be seen there")
	errSize     = fmt.Errorf("has more than %d MiB", MaxSize>>20)
	errOutside  = errors.New("a link leads out of the project")
	errBusy     = errors.New("another program wrote the file each time: close that program and try again")
	errExchange = errors.New("the file system cannot exchange two files: nothing was changed")
	errMounted  = errors.New("is a mount of its own, as Docker and Flatpak make for a single file, and no file can " +
		"take its place: paste the new lines, as they are shown above, into it by hand")
	errTouched = errors.New("another program wrote to the new text, or has it open: end that program and try again")
	errLocked  = errors.New("another mcp-sandbox is changing files: try again when that one has ended")
)

// A Target is a file that is there.
type Target struct {
	Path string // as asked for
	File string // without symbolic links
}

// At follows the symbolic links of a path.
func At(path string) (Target, error) {
	file, err := filepath.EvalSymlinks(path)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	return Target{path, file}, err
}

// In does so for a file of a project, which a stranger may have written: links lead nowhere else.
func In(project, path string) (Target, error) {
	root, err := At(project)
	if err != nil {
		return Target{}, err
	}
	t, err := At(path)
	if err == nil && !platform.Within(t.File, root.File) {
		err = &fs.PathError{Op: "open", Path: path, Err: errOutside}
	}
	return t, err
}

// A File was read.
type File struct {
	Bytes []byte
	Fixed error // why the file cannot be replaced; nil: the file can
}

// Read reads the file, whoever it belongs to. A pipe or a device is not opened for long.
func (t Target) Read() (File, error) {
	folder, err := openFolder(filepath.Dir(t.File))
	if err != nil {
		return File{}, err
	}
	defer folder.close()
	o, err := folder.open(filepath.Base(t.File))
	if err != nil {
		return File{}, t.error("open", err)
	}
	defer o.Close()
	text, err := o.text()
	if err != nil {
		return File{}, t.error("read", err)
	}
	f := File{Bytes: text}
	if err := o.fixed(); err != nil {
		f.Fixed = t.error("replace", err)
	}
	return f, nil
}

// error names the file as the caller did. The names of files that this package makes are nobody's business; those of
// its folders are absolute, and named.
func (t Target) error(op string, err error) error {
	if inner := (*fs.PathError)(nil); errors.As(err, &inner) && !filepath.IsAbs(inner.Path) {
		err = inner.Err
	}
	return &fs.PathError{Op: op, Path: t.Path, Err: err}
}

// Glob are the files that are there of paths in whose parts * may stand for any characters, in the order of the
// paths, none twice. What cannot be looked into is an error.
func Glob(paths []string) (found []string, err error) {
	seen := map[string]bool{}
	for _, path := range paths {
		folder, name := filepath.Split(path)
		folders := []string{filepath.Clean(folder)}
		if strings.Contains(folder, "*") {
			above, err := Glob([]string{filepath.Clean(folder)})
			if err != nil {
				return nil, err
			}
			folders = above
		}
		for _, folder := range folders {
			names := []string{name}
			if strings.Contains(name, "*") {
				if names, err = matching(folder, name); err != nil {
					return nil, err
				}
			}
			for _, name := range names {
				full := filepath.Join(folder, name)
				if _, err := os.Lstat(full); err == nil && !seen[full] {
					seen[full] = true
					found = append(found, full)
				} else if err != nil && !absent(err) {
					return nil, err
				}
			}
		}
	}
	return found, nil
}

// matching are the names in a folder that fit a pattern with one star; names that begin with a dot are none.
func matching(folder, pattern string) (names []string, err error) {
	before, after, _ := strings.Cut(pattern, "*")
	fits := func(name string) bool {
		return name[0] != '.' && len(name) >= len(before)+len(after) && strings.HasPrefix(name, before) &&
			strings.HasSuffix(name, after)
	}
	entries, err := os.ReadDir(folder)
	if err != nil && !absent(err) {
		return nil, err
	}
	for _, e := range entries {
		if fits(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
