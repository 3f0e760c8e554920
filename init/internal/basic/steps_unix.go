//go:build darwin || linux

package basic

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A fact crosses as "fact", layer, name, want, got, reason, effect.
func fact(up *os.File, layer, name, want, got, reason, effect string) {
	tell(up, "fact", layer, name, want, got, reason, effect)
}

// closeRest leaves the server the first three descriptors: all others are closed by its execve.
func closeRest(_ *spec, up *os.File) error {
	list, err := descriptors()
	if err != nil {
		return err
	}
	for _, fd := range list {
		if fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	if list, err = descriptors(); err != nil {
		return err
	}
	var left []string
	for _, fd := range list {
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			left = append(left, strconv.Itoa(fd))
		}
	}
	fact(up, "descriptors", "descriptors", "0 1 2", strings.Join(left, " "), "", "")
	return nil
}

// descriptors are the open ones of this process; fd(4).
func descriptors() (list []int, err error) {
	d, err := os.Open("/dev/fd")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil {
			list = append(list, n)
		}
	}
	return list, err
}

func setUmask(s *spec, up *os.File) error {
	if s.umask == "" {
		return nil
	}
	n, err := strconv.ParseUint(s.umask, 8, 16)
	if err != nil {
		return err
	}
	unix.Umask(int(n))
	got := unix.Umask(int(n)) // umask(2) tells only the one before
	octal := func(n uint64) string { return "0" + strconv.FormatUint(n, 8) }
	fact(up, "descriptors", "umask", octal(n), octal(uint64(got)), "", "")
	return nil
}

// checkCommand asks as the server's ids whether it may execute the command, before anybody says that all is well.
func checkCommand(s *spec, _ *os.File) error {
	if err := unix.Access(s.command, unix.X_OK); err != nil {
		return &os.PathError{Op: "execute as " + s.user.String(), Path: s.command, Err: err}
	}
	return nil
}

func setDir(s *spec, _ *os.File) error { return os.Chdir(s.dir) }

// setLimits sets each limit, soft and hard, and reads it back. An inherited hard limit below the policy's wins.
func setLimits(s *spec, up *os.File) error {
	for i := range s.limits {
		if err := s.limits[i].set(up); err != nil {
			return err
		}
	}
	return nil
}

func (l *Limit) set(up *os.File) error {
	var was, is syscall.Rlimit
	if err := syscall.Getrlimit(l.Resource, &was); err != nil {
		return os.NewSyscallError("getrlimit "+l.Name, err)
	}
	name, want := l.under(was.Max)
	more := int(min(l.Value, 1<<46)) + 1<<20
	before := reserve(more)
	if err := syscall.Setrlimit(l.Resource, &want); err != nil {
		fact(up, "limits", name, text(want), "", "setrlimit: "+err.Error(), "it is not limited")
		return nil
	}
	if err := syscall.Getrlimit(l.Resource, &is); err != nil {
		return os.NewSyscallError("getrlimit "+l.Name, err)
	}
	if !l.Try {
		fact(up, "limits", name, text(want), text(is), "", "")
		return nil
	}
	switch after := reserve(more); {
	case after == unix.ENOMEM && before == nil:
		fact(up, "limits", name, text(want), text(is), "", "")
		fact(up, "limits", name+", one MiB more", "ENOMEM", "ENOMEM", "", "")
	case before != nil:
		fact(up, "limits", name, text(want), "", "that it holds cannot be tried: "+before.Error(), "it may not hold")
	default:
		fact(up, "limits", name, text(want), "", "the kernel takes the limit and does not hold it", "memory is not limited by it")
	}
	return nil
}

// reserve takes so much private memory and gives it back.
func reserve(size int) error {
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.Munmap(m)
}

func text(r syscall.Rlimit) string {
	s := strconv.FormatUint(r.Cur, 10)
	if r.Max != r.Cur {
		s += " of " + strconv.FormatUint(r.Max, 10)
	}
	return s
}

// What is told of the supplementary groups. The first one of BSD's list is the group itself; getgroups(2).
const groupsFact, noGroups = "groups beside its own", "none"

func others(list []int, own int) string {
	var left []string
	for _, gid := range list {
		if gid != own {
			left = append(left, strconv.Itoa(gid))
		}
	}
	if len(left) == 0 {
		return noGroups
	}
	return strings.Join(left, " ")
}

// setIDs makes the process of a root launcher that of another user, for good.
func setIDs(s *spec, up *os.File) error {
	if s.user.uid == os.Getuid() && s.user.gid == os.Getgid() {
		return nil
	}
	err := syscall.Setgroups(nil)
	if err == nil {
		err = syscall.Setgid(s.user.gid)
	}
	if err == nil {
		err = syscall.Setuid(s.user.uid)
	}
	if err != nil {
		return os.NewSyscallError("set the ids", err)
	}
	fact(up, "privileges", "ids", s.user.String(), ids{os.Getuid(), os.Getgid()}.String(), "", "")
	list, err := os.Getgroups()
	if err != nil {
		return err
	}
	fact(up, "privileges", groupsFact, noGroups, others(list, s.user.gid), "", "")
	back := "went"
	if err := syscall.Setuid(0); err != nil {
		back = "refused"
	}
	fact(up, "privileges", "setuid 0", "refused", back, "", "")
	return nil
}
