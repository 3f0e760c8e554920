package install

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// How many bytes of a file are read. Strangers write the files of a package: what the launcher takes of memory and time
// has a bound whatever they wrote, and a larger file is an error. Of programs the first bytes are enough.
const (
	mostConfiguration = 4 << 20  // a file of the user's configuration, or of certificates
	mostManifest      = 4 << 20  // a package.json
	mostList          = 16 << 20 // of what an install left: a lock file, a RECORD
	mostReport        = 64 << 20 // pip's, with the texts of all packages, and what a registry says of one package
	mostNotes         = 64 << 20 // what is read of a program of Go's to find its modules, which are a megabyte at most
)

// openRegular opens a file that is none but a regular one.
func openRegular(root *os.Root, name string) (*os.File, error) {
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", name)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// readRegular reads a file that is none but a regular one.
func readRegular(root *os.Root, name string, most int64) ([]byte, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	return readOpen(f, name, most)
}

// readStart reads the first bytes of such a file.
func readStart(root *os.Root, name string, n int) ([]byte, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

// readConfiguration reads a file of a configuration. The author of a project, and every server that can write there,
// may have put a pipe or the way to a device in its place.
func readConfiguration(name string) ([]byte, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return readOpen(f, name, mostConfiguration)
}

// readOpen reads an open file, and closes it.
func readOpen(f *os.File, name string, most int64) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (!info.Mode().IsRegular() || info.Size() > most) {
		err = fmt.Errorf("%s is no file of at most %d bytes", name, most)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// A sparing reader has an end: what a file says of the lengths of its parts is a stranger's word.
type sparing struct {
	io.ReaderAt
	left int
}

func (s *sparing) ReadAt(b []byte, at int64) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, errors.New("more of it would have to be read than of any program")
	}
	return s.ReaderAt.ReadAt(b, at)
}

// replaceStart writes a file anew with another beginning, and without the first skip bytes. The file may be long.
func replaceStart(root *os.Root, name, start string, skip int) error {
	from, err := openRegular(root, name)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := root.Remove(name); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	defer to.Close()
	if _, err = to.WriteString(start); err == nil {
		_, err = from.Seek(int64(skip), io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(to, from)
	}
	return err
}
