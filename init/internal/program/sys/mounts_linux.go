package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

func Mount(source, target, fs string, flags int, data string) program.Syscall {
	return program.Sys(unix.SYS_MOUNT, program.Str(source), program.Str(target), program.Str(fs), num(flags), program.Str(data))
}

// Remount changes the flags of the mount at target, and those of no other mount of its file system.
func Remount(target string, flags int) program.Syscall {
	flags |= unix.MS_REMOUNT | unix.MS_BIND
	return program.Sys(unix.SYS_MOUNT, program.Str("none"), program.Str(target), num(0), num(flags), num(0))
}

func Umount2(path string, flags int) program.Syscall {
	return program.Sys(unix.SYS_UMOUNT2, program.Str(path), num(flags))
}

func PivotRoot(root, old string) program.Syscall {
	return program.Sys(unix.SYS_PIVOT_ROOT, program.Str(root), program.Str(old))
}

// OpenTree copies a tree of mounts; flags besides OPEN_TREE_CLONE and OPEN_TREE_CLOEXEC are AT_ flags.
func OpenTree(dir program.Arg, path string, flags int) program.Syscall {
	return program.Sys(unix.SYS_OPEN_TREE, dir, program.Str(path), num(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|flags))
}

// MoveMount mounts a tree that is not mounted yet.
func MoveMount(tree, dir program.Arg, path string) program.Syscall {
	return MoveMountTo(tree, dir, path, 0)
}

// MoveMountTo is MoveMount with flags that say how path is looked up.
func MoveMountTo(tree, dir program.Arg, path string, flags int) program.Syscall {
	return program.Sys(unix.SYS_MOVE_MOUNT, tree, program.Str(""), dir, program.Str(path), num(unix.MOVE_MOUNT_F_EMPTY_PATH|flags))
}

// MountSetattr sets attributes, and makes what it changes private: no mount event comes in, and none goes out.
func MountSetattr(dir program.Arg, path string, flags int, set uint64) program.Syscall {
	return program.Sys(unix.SYS_MOUNT_SETATTR, dir, program.Str(path), num(flags), program.Words(set, 0, unix.MS_PRIVATE, 0),
		num(unix.MOUNT_ATTR_SIZE_VER0))
}

func Fsopen(fs string, flags int) program.Syscall {
	return program.Sys(unix.SYS_FSOPEN, program.Str(fs), num(flags))
}

// FsconfigString is FSCONFIG_SET_STRING.
func FsconfigString(fd program.Arg, key, value string) program.Syscall {
	return program.Sys(unix.SYS_FSCONFIG, fd, num(unix.FSCONFIG_SET_STRING), program.Str(key), program.Str(value))
}

// FsconfigCreate is FSCONFIG_CMD_CREATE.
func FsconfigCreate(fd program.Arg) program.Syscall {
	return program.Sys(unix.SYS_FSCONFIG, fd, num(unix.FSCONFIG_CMD_CREATE))
}

func Fsmount(fd program.Arg, flags, attr int) program.Syscall {
	return program.Sys(unix.SYS_FSMOUNT, fd, num(flags), num(attr))
}
