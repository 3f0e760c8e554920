package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Descriptors of a repair's runner, behind the program.
const (
	fdUser  = 4 // init's user namespace
	fdMount = 5 // init's mount namespace
)

// RepairFiles are the descriptors its runner starts with.
func RepairFiles(prog, user, mount int) []int { return []int{-1, -1, -1, prog, user, mount} }

// A Lost is a cover that is no longer there, with what a look from outside found at its path.
type Lost struct {
	view.Cover
	Folder   bool
	Dev, Ino uint64
}

// A Repair is a program that lays covers in a running sandbox. The runner enters its namespaces from outside: whoever
// made a user namespace may, and has every capability there; user_namespaces(7).
type Repair struct {
	*program.Program
	lost []Lost
	seen [][2]stat // of each, what lies there before and after
}

// NewRepair makes a repair in mem. Outermost covers come first.
func NewRepair(mem []byte, m *Machine, lost []Lost) (*Repair, error) {
	r := &Repair{Program: program.New(mem), lost: lost}
	b := &build{Program: r.Program, Request: &Request{Machine: *m}}
	b.Layer("root")
	b.Call(sys.Prctl(unix.PR_SET_NAME, program.Str(order.RunnerName)))
	b.Do(sys.Prctl(unix.PR_SET_PDEATHSIG, program.Int(int(unix.SIGKILL))))
	b.Do(sys.Setns(sys.FD(fdUser), unix.CLONE_NEWUSER)).For("user namespace") // first: the rest needs its capabilities
	b.Do(sys.Setns(sys.FD(fdMount), unix.CLONE_NEWNS)).For("mount namespace")
	if m.Root { // kuid 0 has no number in there and can create nothing
		b.setIDs()
	}
	b.Do(sys.Umask(0))
	for i := range lost {
		r.cover(b, &lost[i])
	}
	exit(b, 0)
	if r.Full() {
		return nil, program.ErrFull
	}
	return r, nil
}

// cover opens what lies at the path, looks at it, and covers this very thing.
func (r *Repair) cover(b *build, k *Lost) {
	var tree program.Arg
	if k.Kind == view.Deny {
		tree = b.freshDenyMask(k) // first: it leaves the namespace and comes back, and a path is of the namespace it was opened in
	}
	fd := b.Do(sys.Openat2(sys.CWD, k.Path, unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, unix.RESOLVE_NO_SYMLINKS)).Result()
	at := b.Space(statxSize)
	before := stat{b.Observe(sys.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BASIC_STATS, at)).For(k.Path), at}
	attr := uint64(attrReadOnly)
	if k.Kind != view.Deny {
		if k.Kind == view.Pin {
			attr = attrWritable
		}
		tree = b.Do(sys.OpenTree(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).For(k.Path).Result()
	}
	b.Do(sys.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, attr)).For(k.Path)
	b.Do(sys.MoveMountTo(tree, fd, "", unix.MOVE_MOUNT_T_EMPTY_PATH)).For(k.Path)
	r.seen = append(r.seen, [2]stat{before, b.stat(k.Path)})
}

// freshDenyMask is a tree that shows an empty folder, or a file that nobody may open. Of the launch's own nothing is left to
// copy: a mount that the kernel took away is gone. Before Linux 6.15 (c5c12f871a30) open_tree copies only what is mounted
// in the caller's own namespace, else EINVAL. So the file is copied in a namespace that is thrown away, not in the server's.
func (b *build) freshDenyMask(k *Lost) program.Arg {
	fs := b.Do(sys.Fsopen("tmpfs", unix.FSOPEN_CLOEXEC)).Result()
	for _, o := range [][2]string{{"mode", "0555"}, {"size", "4096"}, {"nr_inodes", "4"}} {
		b.Do(sys.FsconfigString(fs, o[0], o[1]))
	}
	b.Do(sys.FsconfigCreate(fs)).For("tmpfs")
	tree := b.Do(sys.Fsmount(fs, unix.FSMOUNT_CLOEXEC, 0)).For("tmpfs").Result()
	if k.Folder {
		return tree
	}
	b.Do(sys.Mknodat(tree, maskFile, unix.S_IFREG, 0))
	b.Do(sys.Unshare(unix.CLONE_NEWNS)).For("mount namespace")
	b.Do(sys.MoveMount(tree, sys.CWD, "/dev")).For("tmpfs")
	file := b.Do(sys.OpenTree(tree, maskFile, unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
	b.Do(sys.Setns(sys.FD(fdMount), unix.CLONE_NEWNS)).For("mount namespace")
	return file
}

// Check compares what came back after the runner ended: it covered what was seen from outside, and that no longer shows.
func (r *Repair) Check(results *program.Results) error {
	if f, bad := r.FirstFailure(results, r.Len()-1, true); bad { // the last one does not return
		return refusalOf(f)
	}
	c := &check{Evidence: &Evidence{Results: results}}
	for i := range r.lost {
		k := &r.lost[i]
		before, after := c.stat(r.seen[i][0]), c.stat(r.seen[i][1])
		ok := before.dev == k.Dev && before.ino == k.Ino
		if k.Kind == view.Deny {
			want := uint32(unix.S_IFREG)
			if k.Folder {
				want = unix.S_IFDIR | 0o555
			}
			ok = ok && after.mode == want && (after.dev != k.Dev || after.ino != k.Ino)
		} else {
			ok = ok && after.dev == k.Dev && after.ino == k.Ino
		}
		if !ok {
			return &order.Refusal{Layer: order.Root, Op: "stat", Path: k.Path, Err: mismatch{"inode " + strconv.FormatUint(k.Ino, 10),
				"inode " + strconv.FormatUint(before.ino, 10) + ", then " + strconv.FormatUint(after.ino, 10)}}
		}
	}
	return nil
}

// Covered reports whether a cover lies at its path with its flags, by init's table of mounts. A cover that the host
// moved away with what it covers stands there under another name.
func Covered(mounts []platform.Mount, k *view.Cover) bool {
	w := coverMount(k)
	for i := range mounts {
		if m := &mounts[i]; m.Path == k.Path && m.Propagation == "" && w.satisfiedBy(m) {
			return true
		}
	}
	return false
}
