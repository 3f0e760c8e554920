package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/windows"
)

// A Folder is a state in use.
type Folder struct {
	Path string

	lock windows.Handle
}

// Open makes the folder of a name where there is none, and takes its lock for a launch. The folder has the rights of
// the user's own folder for local data.
func Open(name string, o Owner) (*Folder, error) {
	at, err := folderOf(name)
	if err != nil {
		return nil, err
	}
	_, made := os.Lstat(at)
	if err = os.MkdirAll(at, 0o700); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(at); err != nil || !info.IsDir() {
		return nil, &os.PathError{Op: "open", Path: at, Err: folder.Unfit("it is no folder")}
	}
	f := &Folder{Path: at}
	if f.lock, err = lock(at, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE); err != nil {
		if inUse(err) {
			err = ErrRemoving
		}
		return nil, &os.PathError{Op: "lock", Path: at, Err: err}
	}
	if errors.Is(made, fs.ErrNotExist) {
		windows.SetEndOfFile(f.lock)
		windows.Write(f.lock, []byte(o.Maker[:min(len(o.Maker), mostMaker)]))
	}
	now := windows.NsecToFiletime(time.Now().UnixNano())
	windows.SetFileTime(f.lock, nil, nil, &now) // only a list shows it
	return f, nil
}

// Maker names the policy, profile or command of the launch that had the folder of a state made; "" if that is not
// known. there is false where no such folder is.
func Maker(name string) (maker string, there bool) {
	at, err := folderOf(name)
	if err == nil {
		_, err = os.Lstat(at)
	}
	if err != nil {
		return "", false
	}
	text, _ := os.ReadFile(lockOf(at))
	return string(text[:min(len(text), mostMaker)]), true
}

// Foresee says where [Open] would find or make the folder of a name, and makes nothing.
func Foresee(name string, _ Owner) (string, error) {
	at, err := folderOf(name)
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(at); err == nil && !info.IsDir() {
		return at, &os.PathError{Op: "open", Path: at, Err: folder.Unfit("it is no folder")}
	}
	return at, nil
}

// Close gives the lock back.
func (f *Folder) Close() {
	if f != nil && f.lock != 0 {
		windows.CloseHandle(f.lock)
		f.lock = 0
	}
}

// folderOf is where a state is. Windows has names of devices, and forgets a last dot.
func folderOf(name string) (string, error) {
	if !filepath.IsLocal(name) || strings.HasSuffix(name, ".") {
		return "", folder.Unfit("Windows has no folder of that name")
	}
	p, err := places.Of(os.Getenv)
	return filepath.Join(p.States(), name), err
}

func lockOf(at string) string { return filepath.Join(filepath.Dir(at), "."+filepath.Base(at)) }

// lock opens the lock of a folder, which other openers may share or not.
func lock(at string, share uint32) (windows.Handle, error) {
	path, err := windows.UTF16PtrFromString(lockOf(at))
	if err != nil {
		return 0, err
	}
	return windows.CreateFile(path, windows.GENERIC_READ|windows.GENERIC_WRITE, share, nil, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_NORMAL, 0)
}

func inUse(err error) bool { return errors.Is(err, windows.ERROR_SHARING_VIOLATION) }

// Remove removes a state that no launch uses.
func Remove(name string) error {
	at, err := folderOf(name)
	if err != nil {
		return err
	}
	if _, err = os.Lstat(at); err != nil {
		return ErrNone
	}
	held, err := lock(at, 0)
	if inUse(err) {
		return ErrInUse
	}
	if err != nil {
		return &os.PathError{Op: "lock", Path: at, Err: err}
	}
	err = os.RemoveAll(at)
	windows.CloseHandle(held)
	if err != nil {
		left := &Left{Err: err, Paths: []string{at}}
		if p, ok := errors.AsType[*os.PathError](err); ok {
			left.Paths, left.Err = []string{p.Path}, p.Err
		}
		return left
	}
	return os.Remove(lockOf(at))
}

// List tells all states, by their names.
func List() ([]Info, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(p.States())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []Info
	for _, e := range entries {
		if !e.IsDir() || policy.CheckState(e.Name()) != nil {
			continue
		}
		at := filepath.Join(p.States(), e.Name())
		info := Info{Name: e.Name(), Path: at, Bytes: sizeOf(at)}
		for _, file := range [...]string{at, lockOf(at)} {
			if st, err := os.Lstat(file); err == nil {
				info.Used = st.ModTime().UTC()
			}
		}
		all = append(all, info)
	}
	return sorted(all), err
}

// Names are the names of all states, sorted.
func Names() (names []string, err error) {
	all, err := List()
	for _, s := range all {
		names = append(names, s.Name)
	}
	return names, err
}

// sizeOf adds up the files of a tree, without following links.
func sizeOf(at string) (bytes int64) {
	names := 0
	filepath.WalkDir(at, func(_ string, e fs.DirEntry, err error) error {
		if names++; names > mostNames {
			return fs.SkipAll
		}
		if err == nil && e.Type().IsRegular() {
			if st, err := e.Info(); err == nil {
				bytes += st.Size()
			}
		}
		return nil
	})
	return bytes
}
