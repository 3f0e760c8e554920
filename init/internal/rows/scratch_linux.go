package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"golang.org/x/sys/unix"
)

// privateTmpfs is the one writable tmpfs of a sandbox, and so one cap for everything on it. Its folders are taken as
// trees, and the file system itself is left under the new root, with which the host's tree goes away: /tmp, the home and
// /dev/shm are the first of its folders.
// What lies over denied paths comes from it as well, and the file that Landlock's proof opens.
type privateTmpfs struct {
	private []program.Arg
	covers  []program.Arg // one for each denied path, in the order of the view
}

// Names on the scratch file system. No path leads to them in the new root.
const (
	maskFolder   = "denied"
	maskFile     = "unreadable"
	canaryFolder = "canary"
)

// CanaryFile is the name of the file that Landlock's proof opens, in its folder.
const CanaryFile = "file"

// scratchAt is where it is mounted for the moment: where the root is built afterwards.
const scratchAt = newRoot

func (b *build) privateTmpfs() *privateTmpfs {
	v, s := b.View, new(privateTmpfs)
	b.mount("tmpfs", scratchAt, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		"mode=0755,size="+strconv.FormatInt(v.TmpSize, 10)+",nr_inodes="+strconv.FormatInt(v.TmpInodes, 10))
	for i := range v.Private {
		name := scratchAt + "/" + strconv.Itoa(i)
		b.Do(sys.Mkdirat(sys.CWD, name, int(v.Private[i].Mode)))
		s.private = append(s.private, b.copyOf(name))
	}
	for i := range v.Covers {
		if v.Covers[i].Kind == view.Deny {
			s.covers = append(s.covers, b.copyOf(b.denyMask(v.Covers[i].Folder)))
		}
	}
	b.keysTree = b.copyOf(b.denyMask(false))
	canary := scratchAt + "/" + canaryFolder
	b.Do(sys.Mkdirat(sys.CWD, canary, 0o755))
	b.create(canary+"/"+CanaryFile, 0o644)
	fd := b.Do(sys.Openat(sys.CWD, canary, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	b.Do(sys.Dup3(fd.Result(), fdCanary, unix.O_CLOEXEC))
	return s
}

// denyMask makes the folder or the file that lies over a denied path, once, and returns its path.
func (b *build) denyMask(folder bool) string {
	if folder {
		path := scratchAt + "/" + maskFolder
		if !b.maskMade[0] {
			b.maskMade[0] = true
			b.Do(sys.Mkdirat(sys.CWD, path, 0o555))
		}
		return path
	}
	path := scratchAt + "/" + maskFile
	if !b.maskMade[1] {
		b.maskMade[1] = true
		b.create(path, 0)
	}
	return path
}

// create makes an empty file.
func (b *build) create(path string, mode int) {
	b.Do(sys.Mknodat(sys.CWD, path, unix.S_IFREG|mode, 0))
}

// copyOf is a tree of a path inside the new root, to be placed once more.
func (b *build) copyOf(path string) program.Arg {
	return b.Do(sys.OpenTree(sys.CWD, path, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
}
