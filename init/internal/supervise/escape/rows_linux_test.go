package escape_test

import (
	"fmt"

	"golang.org/x/sys/unix"
)

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
			row{name: "setns to init's " + n.name, act: call(unix.SYS_OPENAT, "-100 s:/proc/1/ns/"+n.name+" 0"), in: "EACCES EPERM ENOENT",
				control: call(unix.SYS_OPENAT, "-100 s:/proc/self/ns/"+n.name+" 0")},
			row{name: "setns to its own " + n.name, act: call(unix.SYS_SETNS, "o:/proc/self/ns/"+n.name+" 0"), in: "EPERM", right: true, out: "EINVAL EUSERS"})
	}
	return append(all, row{name: "user namespace with a mount namespace", act: fmt.Sprintf("new %d clone", unix.CLONE_NEWUSER|unix.CLONE_NEWNS), in: "EPERM"})
}

// mounts: neither the old calls nor the new ones change a mount.
func mounts() []row {
	on := "mount S/home -- "
	return []row{
		{name: "mount tmpfs", act: call(unix.SYS_MOUNT, "s:none s:/tmp s:tmpfs 0 0"), in: "EPERM", right: true},
		{name: "bind", act: call(unix.SYS_MOUNT, "s:/tmp s:/tmp 0 4096"), in: "EPERM", control: call(unix.SYS_MOUNT, "s:S/home s:S/read 0 20480"), right: true},
		{name: "remount writable", act: call(unix.SYS_MOUNT, "0 s:S/read 0 4128"), in: "EPERM", control: on + call(unix.SYS_MOUNT, "0 s:S/home 0 4128"), right: true},
		{name: "move", act: call(unix.SYS_MOUNT, "s:/tmp s:S/write 0 8192"), in: "EPERM",
			control: call(unix.SYS_MOUNT, "0 s:/ 0 278528") + " -- " + on + call(unix.SYS_MOUNT, "s:S/home s:S/write 0 8192"), right: true},
		{name: "make shared", act: call(unix.SYS_MOUNT, "0 s:/tmp 0 1048576"), in: "EPERM", control: on + call(unix.SYS_MOUNT, "0 s:S/home 0 1048576"), right: true},
		{name: "umount", act: call(unix.SYS_UMOUNT2, "s:/tmp 2"), in: "EPERM", control: on + call(unix.SYS_UMOUNT2, "s:S/home 2"), right: true},
		{name: "umount what covers a secret", act: call(unix.SYS_UMOUNT2, "s:S/write/a/b/secret 2"), in: "EPERM", control: on + call(unix.SYS_UMOUNT2, "s:S/home 2"), right: true},
		{name: "pivot_root", act: call(unix.SYS_PIVOT_ROOT, "s:/ s:/"), in: "EPERM", right: true, out: "EBUSY EINVAL"},
		{name: "chroot", act: call(unix.SYS_CHROOT, "s:/"), in: "EPERM", right: true},
		{name: "fsopen", act: call(unix.SYS_FSOPEN, "s:tmpfs 0"), in: "EPERM", right: true},
		{name: "fsmount", act: call(unix.SYS_FSMOUNT, "-1 0 0"), in: "EPERM", right: true, out: "EBADF"},
		{name: "fspick", act: call(unix.SYS_FSPICK, "-100 s:/nothing 0"), in: "EPERM", right: true, out: "ENOENT"},
		{name: "open_tree", act: call(unix.SYS_OPEN_TREE, "-100 s:/ 0x8001"), in: "EPERM", right: true},
		{name: "move_mount", act: call(unix.SYS_MOVE_MOUNT, "-1 s: -1 s: 0x44"), in: "EPERM", right: true, out: "EBADF EINVAL"},
		{name: "mount_setattr", act: call(unix.SYS_MOUNT_SETATTR, "-100 s:/ 0 b:32 32"), in: "EPERM", right: true},
	}
}

// processes: nothing of init, and no process of the host.
func processes() []row {
	const hidden = "EACCES EPERM ENOENT"
	var all []row
	for _, name := range []string{"environ", "mem", "maps", "fd", "cwd/.", "root/."} {
		all = append(all, row{name: "open /proc/1/" + name, act: call(unix.SYS_OPENAT, "-100 s:/proc/1/"+name+" 0"), in: hidden,
			control: call(unix.SYS_OPENAT, "-100 s:/proc/=H/"+name+" 0")})
	}
	for _, name := range []string{"exe", "cwd", "root"} {
		all = append(all, row{name: "readlink /proc/1/" + name, act: call(unix.SYS_READLINKAT, "-100 s:/proc/1/"+name+" b:256 256"), in: hidden,
			control: call(unix.SYS_READLINKAT, "-100 s:/proc/=H/"+name+" b:256 256")})
	}
	return append(all,
		row{name: "a host's process in /proc", act: "stat /proc/=H/status", in: "ENOENT"},
		row{name: "read init's memory", act: call(unix.SYS_PROCESS_VM_READV, "1 0 0 0 0 0"), in: "EPERM", control: call(unix.SYS_PROCESS_VM_READV, "=H 0 0 0 0 0")},
		row{name: "write init's memory", act: call(unix.SYS_PROCESS_VM_WRITEV, "1 0 0 0 0 0"), in: "EPERM", control: call(unix.SYS_PROCESS_VM_WRITEV, "=H 0 0 0 0 0")},
		row{name: "a descriptor of init", act: call(unix.SYS_PIDFD_GETFD, "-1 0 0"), in: "EPERM", out: "EBADF"},
		row{name: "kill -9 1", act: "kill 1 0", in: "EPERM ESRCH", control: "kill =H 0"},
		row{name: "pidfd of a host's process", act: call(unix.SYS_PIDFD_OPEN, "=H 0"), in: "ESRCH"},
		row{name: "environment of the launcher", act: "read /proc/self/environ", never: "mellon"},
		row{name: "type into the terminal", act: call(unix.SYS_IOCTL, "0 0x5412 b:1"), in: "EPERM", out: "ENOTTY EIO"},
		row{name: "type into the terminal, high bits", act: call(unix.SYS_IOCTL, "0 0x100005412 b:1"), in: "EPERM", out: "ENOTTY EIO"},
		row{name: "become root", act: call(unix.SYS_SETRESUID, "0 0 0"), in: "EPERM EINVAL", right: true},
		row{name: "drop groups", act: call(unix.SYS_SETGROUPS, "0 0"), in: "EPERM", control: "new 0x10000000 clone"},
	)
}
