package file

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"golang.org/x/sys/windows"
)

// A folder is named by its path: the access control lists say which users may put another there.
type folder struct{ path string }

// An object is a file of a folder, open for reading.
type object struct {
	*os.File
	info windows.ByHandleFileInformation
}

func openFolder(path string) (*folder, error) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: windows.ERROR_DIRECTORY}
	}
	return &folder{path}, err
}

func (f *folder) close()                   {}
func (f *folder) at(name string) string    { return filepath.Join(f.path, name) }
func (f *folder) rename(a, b string) error { return os.Rename(f.at(a), f.at(b)) }
func (f *folder) remove(name string) error { return os.Remove(f.at(name)) }
func (f *folder) sync() error              { return nil }

func (f *folder) create(name string) (*os.File, error) {
	return os.OpenFile(f.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
}

func (f *folder) names() (names []string, err error) {
	entries, err := os.ReadDir(f.path)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (f *folder) open(name string) (*object, error) {
	info, err := os.Lstat(f.at(name))
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errKind
	}
	file, err := os.Open(f.at(name))
	if err != nil {
		return nil, err
	}
	o := &object{File: file}
	if err := windows.GetFileInformationByHandle(windows.Handle(file.Fd()), &o.info); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

func (o *object) fixed() error {
	if o.info.NumberOfLinks > 1 {
		return errLinks
	}
	return nil
}

// foreign is never true: what the access control list lets this user replace, this user may replace.
func (o *object) foreign() bool { return false }

func (o *object) text() ([]byte, error) {
	var b bytes.Buffer
	if _, err := o.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if _, err := b.ReadFrom(io.LimitReader(o, MaxSize+1)); err != nil {
		return nil, err
	}
	if b.Len() > MaxSize {
		return nil, errSize
	}
	return b.Bytes(), nil
}

// shut closes the file: Windows replaces no file that a process has open without leave to delete it.
func (o *object) shut() { o.Close() }

func (o *object) written() bool { return false }

func (f *folder) same(name string, o *object) bool {
	now, err := f.open(name)
	if err != nil {
		return false
	}
	defer now.Close()
	a, b := &now.info, &o.info
	return a.FileIndexHigh == b.FileIndexHigh && a.FileIndexLow == b.FileIndexLow && a.FileSizeLow == b.FileSizeLow &&
		a.LastWriteTime == b.LastWriteTime
}

// dress does nothing: ReplaceFile gives the new file the attributes and the access control list of the old one.
func dress(*os.File, *object) error { return nil }

// exchange gives two files each other's names, in two steps between which the second has no name but the first's.
func exchange(from *folder, a string, to *folder, b string) error {
	out := from.at(a + spare)
	if err := replaceFile(to.at(b), from.at(a), out); err != nil {
		if _, gone := os.Lstat(to.at(b)); absent(gone) { // the new file could not be moved to its place
			return errors.Join(err, os.Rename(out, to.at(b)))
		}
		return err
	}
	return os.Rename(out, from.at(a))
}

// isElsewhere is never true: the new text always lies beside the file.
func isElsewhere(error) bool { return false }

func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ownFolder is a folder of this product's.
func ownFolder(name string) (string, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return "", err
	}
	path := filepath.Join(p.State, name)
	return path, os.MkdirAll(path, 0o700)
}

func backups() (*folder, error) {
	path, err := ownFolder("backups")
	return &folder{path}, err
}

// lock lets one process of this user change files at a time. There is no folder in which that is safer than beside the
// file: nothing confines a server on Windows.
func lock() (own *folder, unlock func(), err error) {
	path, err := ownFolder("wrap")
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, err
	}
	const now = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		switch err := windows.LockFileEx(windows.Handle(f.Fd()), now, 0, 1, 0, &windows.Overlapped{}); {
		case err == nil:
			return nil, func() { f.Close() }, nil
		case err != windows.ERROR_LOCK_VIOLATION && err != windows.ERROR_IO_PENDING:
			return nil, nil, errors.Join(err, f.Close())
		case time.Now().After(deadline):
			return nil, nil, errors.Join(errLocked, f.Close())
		}
	}
}
