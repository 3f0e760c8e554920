package sys

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"golang.org/x/sys/unix"
)

// CWD is AT_FDCWD.
var CWD = program.Int(unix.AT_FDCWD)

// FD is a descriptor whose number is known when the program is built.
func FD(n int) program.Arg { return program.Int(n) }

func num(v int) program.Arg { return program.Int(v) }

func Openat(dir program.Arg, path string, flags, mode int) program.Syscall {
	return program.Sys(unix.SYS_OPENAT, dir, program.Str(path), num(flags), num(mode))
}

// OpenatFlags is Openat with flags that another call returned.
func OpenatFlags(dir program.Arg, path string, flags program.Arg) program.Syscall {
	return program.Sys(unix.SYS_OPENAT, dir, program.Str(path), flags)
}

// Openat2 takes the fields of struct open_how that are used here.
func Openat2(dir program.Arg, path string, flags, resolve uint64) program.Syscall {
	return program.Sys(unix.SYS_OPENAT2, dir, program.Str(path), program.Words(flags, 0, resolve), num(unix.SizeofOpenHow))
}

func Read(fd program.Arg, buf program.Addr, count int) program.Syscall {
	return program.Sys(unix.SYS_READ, fd, program.Ref(buf), num(count))
}

func Pread64(fd program.Arg, buf program.Addr, count, offset int) program.Syscall {
	return program.Sys(unix.SYS_PREAD64, fd, program.Ref(buf), num(count), num(offset))
}

func Write(fd program.Arg, text string) program.Syscall {
	return program.Sys(unix.SYS_WRITE, fd, program.Str(text), num(len(text)))
}

func Close(fd program.Arg) program.Syscall { return program.Sys(unix.SYS_CLOSE, fd) }

func CloseRange(first, last, flags int) program.Syscall {
	return program.Sys(unix.SYS_CLOSE_RANGE, num(first), num(last), num(flags))
}

func Fcntl(fd program.Arg, op, arg int) program.Syscall {
	return program.Sys(unix.SYS_FCNTL, fd, num(op), num(arg))
}

func Dup3(old program.Arg, new, flags int) program.Syscall {
	return program.Sys(unix.SYS_DUP3, old, num(new), num(flags))
}

func Ioctl(fd program.Arg, op int, arg program.Arg) program.Syscall {
	return program.Sys(unix.SYS_IOCTL, fd, num(op), arg)
}

func Statx(dir program.Arg, path string, flags, mask int, buf program.Addr) program.Syscall {
	return program.Sys(unix.SYS_STATX, dir, program.Str(path), num(flags), num(mask), program.Ref(buf))
}

func Statfs(path string, buf program.Addr) program.Syscall {
	return program.Sys(unix.SYS_STATFS, program.Str(path), program.Ref(buf))
}

func Readlinkat(dir program.Arg, path string, buf program.Addr, size int) program.Syscall {
	return program.Sys(unix.SYS_READLINKAT, dir, program.Str(path), program.Ref(buf), num(size))
}

func Getdents64(fd program.Arg, buf program.Addr, size int) program.Syscall {
	return program.Sys(unix.SYS_GETDENTS64, fd, program.Ref(buf), num(size))
}

func Getcwd(buf program.Addr, size int) program.Syscall {
	return program.Sys(unix.SYS_GETCWD, program.Ref(buf), num(size))
}

func Chdir(path string) program.Syscall { return program.Sys(unix.SYS_CHDIR, program.Str(path)) }

func Fchmod(fd program.Arg, mode int) program.Syscall {
	return program.Sys(unix.SYS_FCHMOD, fd, num(mode))
}

func Faccessat(dir program.Arg, path string, mode int) program.Syscall {
	return program.Sys(unix.SYS_FACCESSAT, dir, program.Str(path), num(mode))
}

func Faccessat2(dir program.Arg, path string, mode, flags int) program.Syscall {
	return program.Sys(unix.SYS_FACCESSAT2, dir, program.Str(path), num(mode), num(flags))
}

func Mkdirat(dir program.Arg, path string, mode int) program.Syscall {
	return program.Sys(unix.SYS_MKDIRAT, dir, program.Str(path), num(mode))
}

func Mknodat(dir program.Arg, path string, mode, dev int) program.Syscall {
	return program.Sys(unix.SYS_MKNODAT, dir, program.Str(path), num(mode), num(dev))
}

func Symlinkat(target string, dir program.Arg, path string) program.Syscall {
	return program.Sys(unix.SYS_SYMLINKAT, program.Str(target), dir, program.Str(path))
}

func Unlinkat(dir program.Arg, path string, flags int) program.Syscall {
	return program.Sys(unix.SYS_UNLINKAT, dir, program.Str(path), num(flags))
}

func Truncate(path string, length int) program.Syscall {
	return program.Sys(unix.SYS_TRUNCATE, program.Str(path), num(length))
}

func Umask(mask int) program.Syscall { return program.Sys(unix.SYS_UMASK, num(mask)) }
