package file

import "golang.org/x/sys/unix"

func mtime(st *unix.Stat_t) unix.Timespec { return st.Mtim }

// exchange gives two files each other's names.
func (f *folder) exchange(a, b string) error {
	err := unix.RenameatxNp(f.fd, a, f.fd, b, unix.RENAME_SWAP)
	if err == unix.ENOTSUP || err == unix.EINVAL {
		return errExchange
	}
	return err
}

// settled is the text that the file has. macOS does not say who has a file open for writing.
func (o *object) settled() ([]byte, error) {
	text, err := o.text()
	if err != nil {
		return nil, err
	}
	return text, unix.Fstat(int(o.Fd()), &o.stat)
}

func (o *object) release() {}
