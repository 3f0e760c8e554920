package machine

import (
	"fmt"
	"path"
)

// An archive is an initramfs being written: cpio's "newc" format, as the kernel's buffer-format.rst has it. Folders come
// before what is in them, everything belongs to root and has no date.
type archive struct {
	buf     []byte
	folders map[string]bool
	inode   int
}

const (
	folderMode = 0o40755
	fileMode   = 0o100755
	trailer    = "TRAILER!!!"
)

func newArchive() *archive { return &archive{folders: map[string]bool{".": true}} }

// file adds a file, executable for all, at a relative path.
func (a *archive) file(name string, data []byte) {
	a.folder(path.Dir(name))
	a.entry(name, fileMode, data)
}

func (a *archive) folder(name string) {
	if !a.folders[name] {
		a.folder(path.Dir(name))
		a.folders[name] = true
		a.entry(name, folderMode, nil)
	}
}

// bytes ends the archive.
func (a *archive) bytes() []byte {
	a.entry(trailer, 0, nil)
	return a.buf
}

// entry writes thirteen numbers of eight hexadecimal digits, the name with its NUL, and the data; each padded to four.
func (a *archive) entry(name string, mode int, data []byte) {
	a.inode++
	a.buf = append(a.buf, "070701"...)
	for _, n := range [13]int{a.inode, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0} {
		a.buf = fmt.Appendf(a.buf, "%08X", n)
	}
	a.buf = append(append(a.buf, name...), 0)
	a.pad()
	a.buf = append(a.buf, data...)
	a.pad()
}

func (a *archive) pad() {
	for len(a.buf)%4 != 0 {
		a.buf = append(a.buf, 0)
	}
}
