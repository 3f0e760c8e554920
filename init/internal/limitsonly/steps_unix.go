//go:build darwin || linux

package limitsonly

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// closeDescriptors leaves the server the first three descriptors: all others are closed by its execve.
func closeDescriptors(_ *plan, toShim *os.File) error {
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
	writeFact(toShim, order.Descriptors, order.Fact{Name: "descriptors", Want: "0 1 2", Got: strings.Join(left, " ")})
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

func octal(n uint64) string { return "0" + strconv.FormatUint(n, 8) }

func setUmask(p *plan, toShim *os.File) error {
	if p.policy.Umask == "" {
		return nil
	}
	n, err := strconv.ParseUint(string(p.policy.Umask), 8, 16)
	if err != nil {
		return err
	}
	unix.Umask(int(n))
	got := unix.Umask(int(n)) // umask(2) returns only the previous mask
	writeFact(toShim, order.Descriptors, order.Fact{Name: "umask", Want: octal(n), Got: octal(uint64(got))})
	return nil
}

func setWorkdir(p *plan, _ *os.File) error { return os.Chdir(p.workdir) }

// checkCommand asks with the server's ids whether the command may be executed, before the report says that all is well.
func checkCommand(p *plan, _ *os.File) error {
	if err := unix.Access(p.command, unix.X_OK); err != nil {
		return &os.PathError{Op: "execute as " + p.user.String(), Path: p.command, Err: err}
	}
	return nil
}

// setLimits sets each limit, soft and hard, and reads it back. An inherited hard limit below the policy's wins.
func setLimits(p *plan, toShim *os.File) error {
	all := newLimits(p)
	alterLimits(p, all)
	for i := range *all {
		if err := (*all)[i].set(toShim); err != nil {
			return err
		}
	}
	return nil
}

func (l *limit) set(toShim *os.File) error {
	var inherited, got syscall.Rlimit
	if err := syscall.Getrlimit(l.resource, &inherited); err != nil {
		return os.NewSyscallError("getrlimit "+l.name, err)
	}
	name, rlimit := l.clampTo(inherited.Max)
	fact := order.Fact{Name: name, Want: rlimitText(rlimit)}
	absent := func(reason, effect string) {
		fact.Reason, fact.Effect = reason, effect
		writeFact(toShim, order.Limits, fact)
	}
	before := l.exceed()
	if err := syscall.Setrlimit(l.resource, &rlimit); err != nil {
		absent("setrlimit: "+err.Error(), "it is not limited")
		return nil
	}
	if err := syscall.Getrlimit(l.resource, &got); err != nil {
		return os.NewSyscallError("getrlimit "+l.name, err)
	}
	after := l.exceed()
	switch {
	case before != nil:
		absent("that it holds cannot be tried: "+before.Error(), "it may not hold")
		return nil
	case l.tried && after != unix.ENOMEM:
		absent("the kernel takes the limit and does not hold it", "memory is not limited by it")
		return nil
	}
	fact.Got = rlimitText(got)
	writeFact(toShim, order.Limits, fact)
	if l.tried {
		writeFact(toShim, order.Limits, order.Fact{Name: name + ", one MiB more", Want: "ENOMEM", Got: "ENOMEM"})
	}
	return nil
}

// exceed maps one MiB more than a limit of memory allows, and unmaps that again.
func (l *limit) exceed() error {
	if !l.tried {
		return nil
	}
	size := int(min(l.value, 1<<46)) + 1<<20
	m, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return err
	}
	return unix.Munmap(m)
}

func rlimitText(r syscall.Rlimit) string {
	s := strconv.FormatUint(r.Cur, 10)
	if r.Max != r.Cur {
		s += " of " + strconv.FormatUint(r.Max, 10)
	}
	return s
}

// The fact of the supplementary groups. The first group of BSD's list is the process's own; getgroups(2).
const groupsFact, noGroups = "groups beside its own", "none"

func others(list []int, own int) string {
	var left []string
	for _, gid := range list {
		if gid != own {
			left = append(left, strconv.Itoa(gid))
		}
	}
	return cmp.Or(strings.Join(left, " "), noGroups)
}

// setIDs makes the process of a root launcher that of another user, for good.
func setIDs(p *plan, toShim *os.File) error {
	if p.user == ownIDs() {
		return nil
	}
	err := syscall.Setgroups(nil)
	if err == nil {
		err = syscall.Setgid(p.user.gid)
	}
	if err == nil {
		err = syscall.Setuid(p.user.uid)
	}
	if err != nil {
		return os.NewSyscallError("set the ids", err)
	}
	groups, err := os.Getgroups()
	if err != nil {
		return err
	}
	back := "went"
	if err := syscall.Setuid(0); err != nil {
		back = "refused"
	}
	for _, f := range [...]order.Fact{{Name: "ids", Want: p.user.String(), Got: ownIDs().String()},
		{Name: groupsFact, Want: noGroups, Got: others(groups, p.user.gid)},
		{Name: "setuid 0", Want: "refused", Got: back}} {
		writeFact(toShim, order.Privileges, f)
	}
	return nil
}
