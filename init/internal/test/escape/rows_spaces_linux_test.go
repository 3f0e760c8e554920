package escape_test

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// call is a system call with its words.
func call(number int, words string) string { return fmt.Sprintf("call %d %s", number, words) }

// spaces: no namespace is made or entered.
func spaces() (all []row) {
	for _, n := range []struct {
		name string
		flag uint64
	}{{"mnt", unix.CLONE_NEWNS}, {"uts", unix.CLONE_NEWUTS}, {"ipc", unix.CLONE_NEWIPC}, {"pid", unix.CLONE_NEWPID},
		{"net", unix.CLONE_NEWNET}, {"cgroup", unix.CLONE_NEWCGROUP}, {"user", unix.CLONE_NEWUSER}, {"time", unix.CLONE_NEWTIME}} {
		if n.name != "time" { // its bit is a signal's, for clone
			all = append(all, row{name: "clone " + n.name, act: fmt.Sprintf("new %d clone", n.flag), in: "EPERM", right: true})
		}
		all = append(all,
			row{name: "unshare " + n.name, act: fmt.Sprintf("new %d unshare", n.flag), in: "EPERM", right: true},
			row{name: "open init's " + n.name + " namespace", act: call(unix.SYS_OPENAT, "-100 s:/proc/1/ns/"+n.name+" 0"), in: "EACCES EPERM ENOENT",
				control: call(unix.SYS_OPENAT, "-100 s:/proc/self/ns/"+n.name+" 0")},
			row{name: "setns " + n.name, act: call(unix.SYS_SETNS, "o:/proc/self/ns/"+n.name+" 0"), in: "EPERM", right: true, out: "EINVAL EUSERS"})
	}
	return append(all,
		row{name: "user and mount namespace in one", act: fmt.Sprintf("new %d clone", unix.CLONE_NEWUSER|unix.CLONE_NEWNS), in: "EPERM"},
		row{name: "clone3", act: call(unix.SYS_CLONE3, "b:8 8"), in: "ENOSYS", out: "EINVAL"})
}

// mounts: neither the old calls nor the new ones change a mount, and no flag of one is taken off.
func mounts() []row {
	on := "mount S/home -- "
	all := []row{
		{name: "mount tmpfs", act: call(unix.SYS_MOUNT, "s:none s:/tmp s:tmpfs 0 0"), in: "EPERM", right: true},
		{name: "mount proc", act: call(unix.SYS_MOUNT, "s:none s:/tmp s:proc 0 0"), in: "EPERM", control: call(unix.SYS_MOUNT, "s:none s:S/home s:proc 0 0"), right: true,
			weak: "EPERM: its own /proc is masked, so no other may be mounted; mount tmpfs stands for it"},
		{name: "mount cgroup2", act: call(unix.SYS_MOUNT, "s:none s:/tmp s:cgroup2 0 0"), in: "EPERM", control: call(unix.SYS_MOUNT, "s:none s:S/home s:cgroup2 0 0"), right: true,
			weak: "EPERM: its own cgroup file system is masked; mount tmpfs stands for it"},
		{name: "bind", act: call(unix.SYS_MOUNT, "s:/tmp s:/tmp 0 4096"), in: "EPERM", control: call(unix.SYS_MOUNT, "s:S/home s:S/read 0 20480"), right: true},
		{name: "move a mount", act: call(unix.SYS_MOUNT, "s:/tmp s:S/write 0 8192"), in: "EPERM",
			control: call(unix.SYS_MOUNT, "0 s:/ 0 278528") + " -- " + on + call(unix.SYS_MOUNT, "s:S/home s:S/write 0 8192"), right: true},
		{name: "make a mount shared", act: call(unix.SYS_MOUNT, "0 s:/tmp 0 1048576"), in: "EPERM", control: on + call(unix.SYS_MOUNT, "0 s:S/home 0 1048576"), right: true},
		{name: "umount", act: call(unix.SYS_UMOUNT2, "s:/tmp 2"), in: "EPERM", control: on + call(unix.SYS_UMOUNT2, "s:S/home 2"), right: true},
		{name: "umount what covers a denied file", act: call(unix.SYS_UMOUNT2, "s:S/write/a/b/secret 2"), in: "EPERM", control: on + call(unix.SYS_UMOUNT2, "s:S/home 2"), right: true},
		{name: "pivot_root", act: call(unix.SYS_PIVOT_ROOT, "s:/ s:/"), in: "EPERM", right: true, out: "EBUSY EINVAL"},
		{name: "chroot", act: call(unix.SYS_CHROOT, "s:/"), in: "EPERM", right: true},
		{name: "fsopen", act: call(unix.SYS_FSOPEN, "s:tmpfs 0"), in: "EPERM", right: true},
		{name: "fsconfig", act: call(unix.SYS_FSCONFIG, "-1 7 0 0 0"), in: "EPERM", out: "EBADF EINVAL"},
		{name: "fsmount", act: call(unix.SYS_FSMOUNT, "-1 0 0"), in: "EPERM", right: true, out: "EBADF"},
		{name: "fspick", act: call(unix.SYS_FSPICK, "-100 s:/nothing 0"), in: "EPERM", right: true, out: "ENOENT"},
		{name: "reconfigure a file system", act: "reconfigure /tmp", in: "EPERM", control: on + "reconfigure S/home", right: true},
		{name: "open_tree", act: call(unix.SYS_OPEN_TREE, "-100 s:/ 0x8001"), in: "EPERM", right: true},
		{name: "open_tree_attr", act: call(467, "-100 s:/ 0x8001 b:32 32"), in: "ENOSYS EPERM", right: true, weak: "ENOSYS: kernels before 6.15 have no such call"},
		{name: "move_mount", act: call(unix.SYS_MOVE_MOUNT, "-1 s: -1 s: 0x44"), in: "EPERM", right: true, out: "EBADF EINVAL"},
		{name: "statmount", act: call(457, "0 0 0 0"), in: "EPERM", out: "EFAULT EINVAL", weak: "ENOSYS: kernels before 6.8 have no such call"},
		{name: "listmount", act: call(458, "0 0 0 0"), in: "EPERM", out: "EFAULT EINVAL", weak: "ENOSYS: kernels before 6.8 have no such call"},
	}
	for _, f := range []struct {
		name string
		flag int
	}{{"read-only", unix.MS_RDONLY}, {"nosuid", unix.MS_NOSUID}, {"nodev", unix.MS_NODEV}, {"noexec", unix.MS_NOEXEC}} {
		const remount = unix.MS_REMOUNT | unix.MS_BIND
		flags := remount | 15&^f.flag
		clear := "x:" + strings.Repeat("00", 8) + fmt.Sprintf("%02x", f.flag) + strings.Repeat("00", 7+16)
		all = append(all,
			row{name: "take " + f.name + " off by mount", act: call(unix.SYS_MOUNT, fmt.Sprint("0 s:S/read 0 ", flags)), in: "EPERM", right: true,
				control: on + call(unix.SYS_MOUNT, fmt.Sprint("0 s:S/home 0 ", remount|15)) + " -- " + call(unix.SYS_MOUNT, fmt.Sprint("0 s:S/home 0 ", flags))},
			row{name: "take " + f.name + " off by mount_setattr", act: call(unix.SYS_MOUNT_SETATTR, "-100 s:S/read 0x8000 "+clear+" 32"), in: "EPERM", right: true,
				control: on + call(unix.SYS_MOUNT_SETATTR, "-100 s:S/home 0x8000 "+clear+" 32")})
	}
	return all
}
