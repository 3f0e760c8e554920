package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Descriptors of a repair's runner, behind the program.
const fdMount = 4 // init's mount namespace

// RepairFiles are the descriptors that the runner of a repair starts with.
func RepairFiles(prog, mount int) []int { return []int{-1, -1, -1, prog, mount} }

// A Lost is a cover that is no longer mounted, with the inode that was found at its path from outside.
type Lost struct {
	fsview.Cover
	Folder bool
	platform.FileID
}

// A Repair is a program that mounts lost covers again in a running sandbox. Its runner enters the namespaces from
// outside: the process that made a user namespace may, and has every capability there; user_namespaces(7).
type Repair struct {
	*program.Program
	lost []Lost
	seen [][2]stat // of each lost cover: the path before and after it is covered
}

// NewRepair makes a repair in mem. Covers of outer folders come first.
func NewRepair(mem []byte, m *Machine, lost []Lost) (*Repair, error) {
	b := &build{Builder: program.New(mem), Request: &Request{Machine: *m}}
	r := &Repair{Program: b.Program, lost: lost}
	b.Layer("root")
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	b.Do(sys.Prctl(unix.PR_SET_PDEATHSIG, program.Int(int(unix.SIGKILL))))
	user := b.Do(sys.Ioctl(sys.FD(fdMount), unix.NS_GET_USERNS, program.Int(0))).For("user namespace").Result()
	b.Do(sys.Setns(user, unix.CLONE_NEWUSER)).For("user namespace") // first: for its capabilities
	b.Do(sys.Setns(sys.FD(fdMount), unix.CLONE_NEWNS)).For("mount namespace")
	closed := map[*Lost]program.Arg{}
	for i := range lost {
		if k := &lost[i]; k.Closed { // to root's own folders root has a way
			closed[k] = found(b, k)
		}
	}
	if m.Root { // kuid 0 is not mapped in there, and could create nothing
		setIDs(b)
	}
	b.Do(sys.Umask(0))
	r.seen = make([][2]stat, len(lost))
	for i := len(lost) - 1; i >= 0; i-- { // as masks does
		if fd, ok := closed[&lost[i]]; ok {
			r.cover(b, i, fd)
		}
	}
	for i := range lost {
		if !lost[i].Closed {
			r.cover(b, i, program.Arg{})
		}
	}
	exit(b, 0)
	if b.Full() {
		return nil, program.ErrFull
	}
	return r, nil
}

// found opens the path of a lost cover.
func found(b *build, k *Lost) program.Arg {
	const flags = unix.O_PATH | unix.O_CLOEXEC | unix.O_NOFOLLOW
	return b.Do(sys.Openat2(sys.CWD, k.Path, flags, unix.RESOLVE_NO_SYMLINKS)).Result()
}

// cover opens the path, compares the inode, and covers this inode whatever the path leads to meanwhile. A path behind a
// closed folder is open already.
func (r *Repair) cover(b *build, i int, fd program.Arg) {
	k, tree := &r.lost[i], program.Arg{}
	if k.Kind == fsview.Deny {
		// First: this unshares the mount namespace and enters the server's again, where the path has to be opened.
		tree = freshMask(b, k.Folder)
	}
	if !k.Closed {
		fd = found(b, k)
	}
	before := statFD(b, fd)
	before.op.For(k.Path)
	attr := uint64(attrReadOnly)
	if k.Kind != fsview.Deny {
		if k.Kind == fsview.Pin {
			attr = attrWritable
		}
		tree = b.Do(sys.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(k.Path).Result()
	}
	b.Do(sys.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)).For(k.Path)
	b.Do(sys.MoveMountTo(tree, fd, "", unix.MOVE_MOUNT_T_EMPTY_PATH)).For(k.Path)
	r.seen[i] = [2]stat{before, b.stat(k.Path)}
}

// freshMask is a mask for a repair, which finds nothing of the launch's to copy: a mount that the kernel took away is
// gone. Before Linux 6.15 (c5c12f871a30) open_tree copies only mounts of the caller's mount namespace, else EINVAL. So
// the file is copied in a mount namespace that is thrown away, not in the server's.
func freshMask(b *build, folder bool) program.Arg {
	fs := b.Do(sys.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)).Result()
	for _, o := range [][2]string{{"mode", "0555"}, {"size", "4096"}, {"nr_inodes", "4"}} {
		b.Do(sys.FsconfigString(fs, o[0], o[1]))
	}
	b.Do(sys.FsconfigCreate(fs)).For("tmpfs")
	tree := b.Do(sys.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)).For("tmpfs").Result()
	if folder {
		return tree
	}
	b.Do(sys.Mknodat(tree, maskFile, unix.S_IFREG, 0))
	b.Do(sys.Unshare(unix.CLONE_NEWNS)).For("mount namespace")
	b.Do(sys.MoveMount(tree, sys.CWD, "/dev")).For("tmpfs")
	file := b.Do(sys.OpenTree(tree, maskFile, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
	b.Do(sys.Setns(sys.FD(fdMount), unix.CLONE_NEWNS)).For("mount namespace")
	return file
}

// Check compares the results after the runner ended: the covered inodes are those seen from outside, and the paths
// lead to the covers.
func (r *Repair) Check(results *program.Results) error {
	if f, bad := r.FirstFailure(results, r.Len()-1, true); bad { // the last call does not return
		return refusalOf(f)
	}
	e := &Evidence{Results: results}
	for i := range r.lost {
		k := &r.lost[i]
		before, after := e.stat(r.seen[i][0]), e.stat(r.seen[i][1])
		ok := before.FileID == k.FileID
		covered := after.FileID == k.FileID
		if k.Kind == fsview.Deny {
			covered = isMask(k.Folder, after, k.FileID)
		}
		if k.Closed && e.Errno(r.seen[i][1].op) == unix.EACCES {
			covered = true // the watcher finds the cover in the table of mounts
		}
		if !ok || !covered {
			want := "inode " + strconv.FormatUint(k.Ino, 10)
			got := "inode " + strconv.FormatUint(before.Ino, 10) + ", then " + strconv.FormatUint(after.Ino, 10)
			return &order.Refusal{Layer: order.Root, Op: "stat", Path: k.Path, Err: mismatch{want, got}}
		}
	}
	return nil
}
