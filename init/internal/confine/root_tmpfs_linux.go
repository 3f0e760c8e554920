package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// Names on the private tmpfs. No path of the new root leads to them.
const (
	canaryFolder = "canary"
	// CanaryFile is the file in the canary folder that Landlock's proof opens.
	CanaryFile = "file"
)

// privateTmpfs mounts the one writable tmpfs of a sandbox, so that one size limits all private folders: /tmp, the
// home and /dev/shm. The trees of its folders are returned in the order of the view. The tmpfs itself is mounted
// where the new root is built afterwards, and goes away with the host's tree. It also has the masks, and the file
// that Landlock's proof opens.
func privateTmpfs(b *build, masks *maskTrees) (private []program.Arg) {
	v := b.View
	b.mount("tmpfs", newRoot, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV,
		"mode=0755,size="+strconv.FormatInt(v.TmpSize, 10)+",nr_inodes="+strconv.FormatInt(v.TmpInodes, 10))
	for i := range v.Private {
		name := newRoot + "/" + strconv.Itoa(i)
		b.Do(sys.Mkdirat(sys.CWD, name, int(v.Private[i].Mode)))
		private = append(private, b.copyOf(name))
	}
	masks.make(b)
	canary := newRoot + "/" + canaryFolder
	b.Do(sys.Mkdirat(sys.CWD, canary, 0o755))
	b.create(canary+"/"+CanaryFile, 0o644)
	fd := b.Do(sys.Openat(sys.CWD, canary, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0))
	b.Do(sys.Dup3(fd.Result(), fdCanary, unix.O_CLOEXEC))
	return private
}

// create makes an empty file.
func (b *build) create(path string, mode int) { b.Do(sys.Mknodat(sys.CWD, path, unix.S_IFREG|mode, 0)) }

// copyOf is a copy of the mounts at and below a path that was made for the sandbox.
func (b *build) copyOf(path string) program.Arg {
	return b.Do(sys.OpenTree(sys.CWD, path, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
}
