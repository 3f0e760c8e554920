package privdir

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
)

// A Dir is a private folder.
type Dir struct {
	Path string
	lock windows.Handle // an open file in the folder; no other process can open or remove that file
}

// lockFile ends with the last handle of the launcher that made it.
const lockFile = "lock"

// Make makes the folder in the user's folder for temporary files, and removes folders that killed launchers left there.
func Make(r Request) (d Dir, err error) {
	base, err := filepath.Abs(os.TempDir())
	if err != nil {
		return d, err
	}
	forMoment(100*time.Millisecond, func() { removeUnlocked(base) })
	// Another launcher's removeUnlocked may remove the folder before it is locked.
	for try := 0; try < 10 && (try == 0 || err == windows.ERROR_PATH_NOT_FOUND); try++ {
		d, err = makeIn(base)
	}
	if err != nil {
		return Dir{}, &os.PathError{Op: "mkdir", Path: base, Err: err}
	}
	for _, sub := range r.Folders {
		if err = os.MkdirAll(filepath.Join(d.Path, sub), 0o700); err != nil {
			d.Remove(AtEnd(nil))
			return Dir{}, err
		}
	}
	return d, nil
}

// makeIn makes a locked folder that only this user may enter. Whatever is made below the folder inherits its rights.
func makeIn(base string) (d Dir, err error) {
	name, err := newName()
	if err != nil {
		return d, err
	}
	owner, err := user()
	if err != nil {
		return d, err
	}
	sd, err := windows.SecurityDescriptorFromString("D:P(A;OICI;FA;;;" + owner + ")")
	if err != nil {
		return d, err
	}
	d.Path = filepath.Join(base, name)
	path, err := windows.UTF16PtrFromString(d.Path)
	if err != nil {
		return d, err
	}
	if err = windows.CreateDirectory(path, attributes(sd)); err != nil {
		return d, err
	}
	if path, err = windows.UTF16PtrFromString(filepath.Join(d.Path, lockFile)); err != nil {
		return d, err
	}
	d.lock, err = windows.CreateFile(path, windows.GENERIC_WRITE, 0, nil, windows.CREATE_NEW,
		windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	return d, err
}

// user is the SID of this process's user.
func user() (string, error) {
	u, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return "", err
	}
	return u.User.Sid.String(), nil
}

// Others are the trustees that the folder's access control list lets in beside its owner and the system, which may do
// everything anyway.
func (d *Dir) Others() (others []string, err error) {
	owner, err := user()
	if err != nil {
		return nil, err
	}
	sd, err := windows.GetNamedSecurityInfo(d.Path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return nil, err
	}
	for _, trustee := range trustees(sd.String()) {
		if trustee != owner && trustee != "SY" {
			others = append(others, trustee)
		}
	}
	return others, nil
}

// AtEnd is nil: [Dir.Remove] has a time of its own.
func AtEnd(func() bool) (over func() bool) { return nil }

// Remove tries for a moment to remove the folder with all that is in it: a process that has just ended may still hold a
// file. The rest the next launch removes.
func (d *Dir) Remove(func() bool) {
	if d.Path == "" {
		return
	}
	windows.CloseHandle(d.lock)
	path := d.Path
	*d = Dir{}
	forMoment(2*time.Second, func() {
		for os.RemoveAll(path) != nil {
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// forMoment waits for a function, but not for longer than a time. The function goes on beside the caller.
func forMoment(most time.Duration, do func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(most):
	}
}

// removeUnlocked removes unlocked folders. A folder with an open file cannot be renamed, so a folder that is locked
// meanwhile stays.
func removeUnlocked(base string) {
	all, _ := os.ReadDir(base)
	for _, e := range all {
		dir := filepath.Join(base, e.Name())
		if !isName(e.Name()) || !e.IsDir() { // a link to elsewhere is none
			continue
		}
		if err := os.Remove(filepath.Join(dir, lockFile)); err != nil && !os.IsNotExist(err) {
			continue
		}
		name, err := newName()
		if err == nil && os.Rename(dir, filepath.Join(base, name)) == nil {
			os.RemoveAll(filepath.Join(base, name))
		}
	}
}
