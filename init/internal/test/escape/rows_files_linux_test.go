package escape_test

import "golang.org/x/sys/unix"

// files: no way round a grant or a denial.
func files() []row {
	const changed = "EROFS EACCES EPERM"
	opened := func(path, flags string) string { return call(unix.SYS_OPENAT, "-100 s:"+path+" "+flags) }
	return []row{
		{name: "openat(0, ..)", act: call(unix.SYS_OPENAT, "0 s:.. 0"), in: "ENOTDIR", control: call(unix.SYS_OPENAT, "-100 s:.. 0")},
		{name: "openat(1, ..)", act: call(unix.SYS_OPENAT, "1 s:.. 0"), in: "ENOTDIR", control: call(unix.SYS_OPENAT, "-100 s:.. 0")},
		{name: "openat(1023, ..)", act: call(unix.SYS_OPENAT, "1023 s:.. 0"), in: "EBADF", control: call(unix.SYS_OPENAT, "o:/ s:.. 0")},
		{name: "fchdir(1)", act: call(unix.SYS_FCHDIR, "1"), in: "ENOTDIR", control: call(unix.SYS_FCHDIR, "o:/")},
		{name: "up from the working folder", act: "read /proc/self/cwd/../home/key", in: "ENOENT", control: "read /proc/self/cwd/home/key", not: "read"},
		{name: "up from the root", act: "read /proc/self/root/../..S/home/key", in: "ENOENT", not: "read"},
		{name: "through a thread's root", act: "read /proc/thread-self/root/S/home/key", in: "ENOENT", control: "read /proc/thread-self/root/S/read/file", not: "read"},
		{name: "through a descriptor", act: "list /proc/self/fd/0/..", in: "ENOTDIR ENOENT EACCES", control: "list /proc/self/cwd/.."},
		{name: "another home", act: "read S/home/key", in: "ENOENT", not: "read"},
		{name: "write a read grant", act: "append S/read/file", in: changed},
		{name: "write a file of a read grant through O_PATH", act: "reopen S/read/file 2", in: changed},
		{name: "empty a file of a read grant by O_TRUNC", act: opened("S/read/sub/file", "0x200"), in: changed},
		{name: "truncate in a read grant", act: call(unix.SYS_TRUNCATE, "s:S/read/file 6"), in: changed},
		{name: "unnamed file in a read grant", act: opened("S/read", "0x410002 0600"), in: changed},
		{name: "make a folder in a read grant", act: "mkdir S/read/new", in: changed, control: "mkdir S/read/new -- remove S/read/new"},
		{name: "remove a file of a read grant", act: "remove S/read/gone", in: changed + " ENOENT", control: "write S/read/gone -- remove S/read/gone"},
		{name: "write a frozen file", act: "append S/write/c/d/frozen", in: changed},
		{name: "write a frozen file through O_PATH", act: "reopen S/write/c/d/frozen 2", in: changed},
		{name: "a denied file", act: "read S/write/a/b/secret", in: "EACCES"},
		{name: "a denied file through its root", act: "read /proc/self/root/S/write/a/b/secret", in: "EACCES"},
		{name: "a denied file through O_PATH", act: "reopen S/write/a/b/secret 0", in: "EACCES"},
		{name: "handle of a file", act: call(unix.SYS_NAME_TO_HANDLE_AT, "-100 s:S/read/file b:128 b:8 0"), in: "EPERM", out: "EOVERFLOW"},
		{name: "open by handle", act: call(unix.SYS_OPEN_BY_HANDLE_AT, "-1 b:128 0"), in: "EPERM", root: true, out: "EBADF EINVAL"},
		{name: "openat2", act: call(unix.SYS_OPENAT2, "-100 s:/ b:24 24"), in: "ENOSYS"},
		{name: "a snapshot of a subvolume", act: call(unix.SYS_IOCTL, "o:S/write 0x50009401 b:4096"), in: "EPERM", out: "ENOTTY EINVAL"},
		{name: "a snapshot of a subvolume, second version", act: call(unix.SYS_IOCTL, "o:S/write 0x50009417 b:4096"), in: "EPERM", out: "ENOTTY EINVAL"},
		{name: "watch by fanotify", act: call(unix.SYS_FANOTIFY_INIT, "0x200 0"), in: "EPERM", weak: "ENOSYS: built without fanotify; the filter's tests stand for it", out: "EPERM", root: true},
		{name: "write the program", act: opened("/usr/bin/env", "2"), in: changed, root: true, out: "ETXTBSY"},
	}
}

// attributes: of a read grant and of what is frozen none changes.
func attributes() []row {
	const changed = "EROFS EACCES EPERM"
	const flags = "0x40086602" // FS_IOC_SETFLAGS; 0x40 is FS_NODUMP_FL
	return []row{
		{name: "chmod in a read grant", act: "chmod 600 S/read/file", in: changed, control: "chmod 666 S/read/file"},
		{name: "chmod by descriptor", act: call(unix.SYS_FCHMOD, "o:S/read/file 0666"), in: changed},
		{name: "chmod through O_PATH", act: call(unix.SYS_FCHMODAT2, "-100 s:S/read/file 0666 0x100"), in: changed, weak: "ENOSYS: kernels before 6.6 have no fchmodat2"},
		{name: "chmod a frozen file", act: "chmod 600 S/write/c/d/frozen", in: changed, control: "chmod 666 S/write/c/d/frozen"},
		{name: "chmod a denied file", act: "chmod 666 S/write/a/b/secret", in: changed},
		{name: "chown in a read grant", act: call(unix.SYS_FCHOWNAT, "-100 s:S/read/file -1 -1 0"), in: changed},
		{name: "chown by descriptor", act: call(unix.SYS_FCHOWN, "o:S/read/file -1 -1"), in: changed},
		{name: "utimes in a read grant", act: call(unix.SYS_UTIMENSAT, "-100 s:S/read/file 0 0"), in: changed},
		{name: "utimes by descriptor", act: call(unix.SYS_UTIMENSAT, "o:S/read/file 0 0 0"), in: changed},
		{name: "set an attribute", act: call(unix.SYS_SETXATTR, "s:S/read/file s:user.x s:y 1 0"), in: changed},
		{name: "set an attribute by descriptor", act: call(unix.SYS_FSETXATTR, "o:S/read/file s:user.x s:y 1 0"), in: changed},
		{name: "remove an attribute", act: call(unix.SYS_REMOVEXATTR, "s:S/read/file s:user.kept"), in: changed,
			control: call(unix.SYS_SETXATTR, "s:S/read/file s:user.gone s:y 1 0") + " -- " + call(unix.SYS_REMOVEXATTR, "s:S/read/file s:user.gone")},
		{name: "set an access list", act: call(unix.SYS_SETXATTR, "s:S/read/file s:system.posix_acl_access x:02000000010006ffffffff040006ffffffff200006ffffffff 0 0"), in: changed + " EINVAL", out: "EINVAL"},
		{name: "set flags of a file", act: call(unix.SYS_IOCTL, "o:S/read/file "+flags+" x:40000000"), in: changed, out: "ENOTSUP"},
		{name: "set attributes of a file", act: call(469, "-100 s:S/read/file b:24 24 0"), in: "ENOSYS EPERM", weak: "ENOSYS: kernels before 6.17 have no file_setattr"},
		{name: "setuid by chmod", act: "chmod 4755 S/write/note", in: "EPERM", control: "chmod 4755 S/write/note -- chmod 666 S/write/note"},
		{name: "setgid by descriptor", act: call(unix.SYS_FCHMOD, "o:S/write/note 02755"), in: "EPERM", control: call(unix.SYS_FCHMOD, "o:S/write/note 02755") + " -- chmod 666 S/write/note"},
		{name: "setuid at creation", act: call(unix.SYS_OPENAT, "-100 s:S/write/suid 0x41 04755"), in: "EPERM", control: call(unix.SYS_OPENAT, "-100 s:S/home/suid 0x41 04755")},
		{name: "setuid without a name", act: call(unix.SYS_OPENAT, "-100 s:S/write 0x410002 04755"), in: "EPERM"},
		{name: "file capabilities", act: call(unix.SYS_SETXATTR, "s:S/write/note s:security.capability x:0100000200040000000000000000000000000000 20 0"), in: "EPERM EROFS", right: true, out: "EPERM", root: true},
	}
}
