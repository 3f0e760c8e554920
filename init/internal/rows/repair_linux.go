package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
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
	zero := program.Int(0)
	b.Any(unix.SYS_PRCTL, program.Int(unix.PR_SET_NAME), program.Str(order.RunnerName))
	b.Do(unix.SYS_PRCTL, program.Int(unix.PR_SET_PDEATHSIG), program.Int(int(unix.SIGKILL)), zero, zero, zero)
	b.Do(unix.SYS_SETNS, program.Int(fdUser), program.Int(unix.CLONE_NEWUSER)).On("user namespace") // first: the rest needs its capabilities
	b.Do(unix.SYS_SETNS, program.Int(fdMount), program.Int(unix.CLONE_NEWNS)).On("mount namespace")
	if m.Root { // kuid 0 has no number in there and can create nothing
		b.setIDs()
	}
	b.Do(unix.SYS_UMASK, zero)
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
	empty, byFD := program.Str(""), program.Int(unix.AT_EMPTY_PATH)
	var tree program.Arg
	if k.Kind == view.Deny {
		tree = b.nothing(k) // first: it leaves the namespace and comes back, and a path is of the namespace it was opened in
	}
	fd := b.Do(unix.SYS_OPENAT2, program.Int(unix.AT_FDCWD), program.Str(k.Path),
		program.Words(unix.O_PATH|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0, unix.RESOLVE_NO_SYMLINKS), program.Int(24)).Result()
	at := b.Space(statxSize)
	before := stat{b.See(unix.SYS_STATX, fd, empty, byFD, program.Int(unix.STATX_BASIC_STATS), program.Ref(at)).On(k.Path), at}
	attr := uint64(frozen)
	if k.Kind != view.Deny {
		if k.Kind == view.Pin {
			attr = written
		}
		tree = b.Do(unix.SYS_OPEN_TREE, fd, empty, program.Int(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|
			unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)).On(k.Path).Result()
	}
	b.Do(unix.SYS_MOUNT_SETATTR, tree, empty, program.Int(unix.AT_EMPTY_PATH|unix.AT_RECURSIVE),
		program.Words(attr, 0, unix.MS_PRIVATE, 0), program.Int(32)).On(k.Path)
	b.Do(unix.SYS_MOVE_MOUNT, tree, empty, fd, empty,
		program.Int(unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)).On(k.Path)
	r.seen = append(r.seen, [2]stat{before, b.stat(k.Path)})
}

// nothing is a tree that shows an empty folder, or a file that nobody may open. Of the launch's own nothing is left to
// copy: a mount that the kernel took away is gone. Before Linux 6.15 (c5c12f871a30) open_tree copies only what is mounted
// in the caller's own namespace, else EINVAL. So the file is copied in a namespace that is thrown away, not in the server's.
func (b *build) nothing(k *Lost) program.Arg {
	none, zero := program.Int(0), program.Int(0)
	fs := b.Do(unix.SYS_FSOPEN, program.Str("tmpfs"), program.Int(unix.FSOPEN_CLOEXEC)).Result()
	for _, o := range [][2]string{{"mode", "0555"}, {"size", "4096"}, {"nr_inodes", "4"}} {
		b.Do(unix.SYS_FSCONFIG, fs, program.Int(unix.FSCONFIG_SET_STRING), program.Str(o[0]), program.Str(o[1]), zero)
	}
	b.Do(unix.SYS_FSCONFIG, fs, program.Int(unix.FSCONFIG_CMD_CREATE), none, none, zero).On("tmpfs")
	tree := b.Do(unix.SYS_FSMOUNT, fs, program.Int(unix.FSMOUNT_CLOEXEC), zero).On("tmpfs").Result()
	if k.Folder {
		return tree
	}
	b.Do(unix.SYS_MKNODAT, tree, program.Str(deniedFile), program.Int(unix.S_IFREG), zero)
	b.Do(unix.SYS_UNSHARE, program.Int(unix.CLONE_NEWNS)).On("mount namespace")
	b.Do(unix.SYS_MOVE_MOUNT, tree, program.Str(""), program.Int(unix.AT_FDCWD), program.Str("/dev"),
		program.Int(unix.MOVE_MOUNT_F_EMPTY_PATH)).On("tmpfs")
	file := b.Do(unix.SYS_OPEN_TREE, tree, program.Str(deniedFile),
		program.Int(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)).Result()
	b.Do(unix.SYS_SETNS, program.Int(fdMount), program.Int(unix.CLONE_NEWNS)).On("mount namespace")
	return file
}

// Check compares what came back after the runner ended: it covered what was seen from outside, and that no longer shows.
func (r *Repair) Check(results *program.Results) error {
	if f, bad := r.Broken(results, r.Len()-1, true); bad { // the last one does not return
		return refusal(f)
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
		if m := &mounts[i]; m.Path == k.Path && m.Propagation == "" && w.met(m) {
			return true
		}
	}
	return false
}
