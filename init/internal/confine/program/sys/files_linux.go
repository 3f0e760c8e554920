package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"golang.org/x/sys/unix"
)

func Openat(dir arg, path string, flags, mode int) call {
	return sys(unix.SYS_OPENAT, dir, str(path), num(flags), num(mode))
}

// OpenatFlags is Openat with flags that another call returned.
func OpenatFlags(dir arg, path string, flags arg) call {
	return sys(unix.SYS_OPENAT, dir, str(path), flags)
}

// Openat2 takes the fields of struct open_how that are used here.
func Openat2(dir arg, path string, flags, resolve uint64) call {
	return sys(unix.SYS_OPENAT2, dir, str(path), words(flags, 0, resolve), num(unix.SizeofOpenHow))
}

func Read(fd arg, buf addr, count int) call { return sys(unix.SYS_READ, fd, ref(buf), num(count)) }

func Pread64(fd arg, buf addr, count, offset int) call {
	return sys(unix.SYS_PREAD64, fd, ref(buf), num(count), num(offset))
}

func Write(fd arg, text string) call { return sys(unix.SYS_WRITE, fd, str(text), num(len(text))) }
func Close(fd arg) call              { return sys(unix.SYS_CLOSE, fd) }
func CloseRange(first, last, flags int) call {
	return sys(unix.SYS_CLOSE_RANGE, num(first), num(last), num(flags))
}
func Fcntl(fd arg, op, arg int) call     { return sys(unix.SYS_FCNTL, fd, num(op), num(arg)) }
func Dup3(old arg, new, flags int) call  { return sys(unix.SYS_DUP3, old, num(new), num(flags)) }
func Ioctl(fd arg, op int, arg arg) call { return sys(unix.SYS_IOCTL, fd, num(op), arg) }

func Statx(dir arg, path string, flags, mask int, buf addr) call {
	return sys(unix.SYS_STATX, dir, str(path), num(flags), num(mask), ref(buf))
}

// Munmap takes memory away, as address and length.
func Munmap(memory [2]uint64) call {
	return sys(unix.SYS_MUNMAP, program.Int(memory[0]), program.Int(memory[1]))
}
func Statfs(path string, buf addr) call { return sys(unix.SYS_STATFS, str(path), ref(buf)) }

func Readlinkat(dir arg, path string, buf addr, size int) call {
	return sys(unix.SYS_READLINKAT, dir, str(path), ref(buf), num(size))
}

func Getdents64(fd arg, buf addr, size int) call {
	return sys(unix.SYS_GETDENTS64, fd, ref(buf), num(size))
}
func Getcwd(buf addr, size int) call { return sys(unix.SYS_GETCWD, ref(buf), num(size)) }
func Chdir(path string) call         { return sys(unix.SYS_CHDIR, str(path)) }
func Fchmod(fd arg, mode int) call   { return sys(unix.SYS_FCHMOD, fd, num(mode)) }
func Faccessat(dir arg, path string, mode int) call {
	return sys(unix.SYS_FACCESSAT, dir, str(path), num(mode))
}

func Faccessat2(dir arg, path string, mode, flags int) call {
	return sys(unix.SYS_FACCESSAT2, dir, str(path), num(mode), num(flags))
}

func Mkdirat(dir arg, path string, mode int) call {
	return sys(unix.SYS_MKDIRAT, dir, str(path), num(mode))
}

func Mknodat(dir arg, path string, mode, dev int) call {
	return sys(unix.SYS_MKNODAT, dir, str(path), num(mode), num(dev))
}

func Symlinkat(target string, dir arg, path string) call {
	return sys(unix.SYS_SYMLINKAT, str(target), dir, str(path))
}
func Unlinkat(dir arg, path string, flags int) call {
	return sys(unix.SYS_UNLINKAT, dir, str(path), num(flags))
}
func Truncate(path string, length int) call { return sys(unix.SYS_TRUNCATE, str(path), num(length)) }
func Umask(mask int) call                   { return sys(unix.SYS_UMASK, num(mask)) }
