package resolve

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lookEvery = 5 * time.Second
	mostText  = 8 << 20 // of a file that is read
)

// A file is the text of a file of the host's that may change while we run.
type file struct {
	path   string
	looked time.Time
	stamp  stamp
}

// A stamp tells a changed file from the one that was read.
type stamp struct {
	inode, device uint64
	size          int64
	mtime         unix.Timespec
}

// read is the text of the file if the file was not read yet or has changed since. A file that cannot be read is empty.
func (f *file) read(now time.Time) (text string, changed bool) {
	if !f.looked.IsZero() && now.Sub(f.looked) < lookEvery {
		return "", false
	}
	first := f.looked.IsZero()
	f.looked = now
	var st unix.Stat_t
	_ = unix.Stat(f.path, &st) // no file: the stamp is zero
	if s := (stamp{st.Ino, uint64(st.Dev), st.Size, st.Mtim}); first || s != f.stamp {
		f.stamp = s
		return contents(f.path), true
	}
	return "", false
}

// lack is why the file names no nameserver.
func (f *file) lack() string {
	_, err := os.Stat(f.path)
	target, link := os.Readlink(f.path)
	switch {
	case err == nil:
		return f.path + " names no nameserver"
	case errors.Is(err, unix.ENOENT) && link == nil:
		return f.path + " is a link to " + target + ", which is not there"
	}
	return err.Error()
}

// contents is the text of a regular file: a pipe there would never end.
func contents(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(f, mostText))
	if err != nil {
		return ""
	}
	return string(b)
}
