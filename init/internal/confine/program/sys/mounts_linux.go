package sys

import "golang.org/x/sys/unix"

func Mount(source, target, fs string, flags int, data string) call {
	return sys(unix.SYS_MOUNT, str(source), str(target), str(fs), num(flags), str(data))
}

// Remount changes the flags of the mount at target, and those of no other mount of its file system.
func Remount(target string, flags int) call {
	flags |= unix.MS_REMOUNT | unix.MS_BIND
	return sys(unix.SYS_MOUNT, str("none"), str(target), num(0), num(flags), num(0))
}

func Umount2(path string, flags int) call { return sys(unix.SYS_UMOUNT2, str(path), num(flags)) }
func PivotRoot(root, old string) call     { return sys(unix.SYS_PIVOT_ROOT, str(root), str(old)) }

// OpenTree copies a tree of mounts; flags besides OPEN_TREE_CLONE and OPEN_TREE_CLOEXEC are AT_ flags.
func OpenTree(dir arg, path string, flags int) call {
	return sys(unix.SYS_OPEN_TREE, dir, str(path), num(unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|flags))
}

// MoveMount mounts a tree that is not mounted yet.
func MoveMount(tree, dir arg, path string) call { return MoveMountTo(tree, dir, path, 0) }

// MoveMountTo is MoveMount with flags that say how path is looked up.
func MoveMountTo(tree, dir arg, path string, flags int) call {
	return sys(unix.SYS_MOVE_MOUNT, tree, str(""), dir, str(path), num(unix.MOVE_MOUNT_F_EMPTY_PATH|flags))
}

// MountSetattr sets attributes, and makes what it changes private: no mount event comes in, and none goes out.
func MountSetattr(dir arg, path string, flags int, set uint64) call {
	return sys(unix.SYS_MOUNT_SETATTR, dir, str(path), num(flags), words(set, 0, unix.MS_PRIVATE, 0),
		num(unix.MOUNT_ATTR_SIZE_VER0))
}

func Fsopen(fs string, flags int) call { return sys(unix.SYS_FSOPEN, str(fs), num(flags)) }

// FsconfigString is FSCONFIG_SET_STRING.
func FsconfigString(fd arg, key, value string) call {
	return sys(unix.SYS_FSCONFIG, fd, num(unix.FSCONFIG_SET_STRING), str(key), str(value))
}

// FsconfigCreate is FSCONFIG_CMD_CREATE.
func FsconfigCreate(fd arg) call           { return sys(unix.SYS_FSCONFIG, fd, num(unix.FSCONFIG_CMD_CREATE)) }
func Fsmount(fd arg, flags, attr int) call { return sys(unix.SYS_FSMOUNT, fd, num(flags), num(attr)) }
