// Package world is a machine in network and mount namespaces of its own, whose hosts are addresses of this machine: for
// the tests and the bench of what a server reaches by name. Nothing leaves the machine, and an ordinary user can make
// it.
//
// The hosts have addresses of the ranges for documentation (RFC 5737, RFC 3849). They are local by a route alone and
// stand on no interface, for an address that getifaddrs(3) lists is the launcher's own machine, and is refused.
// [ServeNames] is the transport of the hosts' name server, and [Authority] and [Certify] make certificates for them.
package world

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Addresses of the world. Those of the machine stand on its loopback interface.
const (
	Machine4   = "192.0.2.77"
	Machine6   = "2001:db8:ffff::77"
	NameServer = "203.0.113.53"
	Hosts4     = "203.0.113.0/24"
	Hosts6     = "2001:db8::/32"
	Private4   = "10.99.0.0/16" // hosts of a private network
	Silent4    = "198.51.100.9" // where no host is: what is sent there is not answered
	InFile     = "in-file.example.com"
	FileAt     = "203.0.113.200"
)

// Attributes are those of a process that may call [Become]: its namespaces, and its end with the thread that started it
// (PR_SET_PDEATHSIG(2const)). An ordinary user has the same ids there, and the rights until the world is made.
func Attributes() *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS, Pdeathsig: unix.SIGKILL}
	if os.Getuid() != 0 {
		one := func(id int) []syscall.SysProcIDMap {
			return []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
		}
		a.Cloneflags |= unix.CLONE_NEWUSER
		a.UidMappings, a.GidMappings = one(os.Getuid()), one(os.Getgid())
		a.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN}
	}
	return a
}

// Become makes this process's namespaces the world, whose files of /etc are written to dir, and executes this program
// there with the rights of its user alone. files are the texts of more files, by path: those below /proc/sys/net are
// written, others are covered, and one of these that this machine has not is left out.
func Become(dir string, files map[string]string, args, env []string) error {
	runtime.LockOSThread() // whose rights the execve takes
	if err := makeNetwork(); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("private mounts", err)
	}
	all := map[string]string{
		"/etc/resolv.conf": "nameserver " + NameServer + "\noptions timeout:1 attempts:2\n",
		"/etc/hosts":       "127.0.0.1 localhost\n::1 localhost\n" + FileAt + " " + InFile + "\n",
	}
	for path, text := range files {
		if strings.HasPrefix(path, "/proc/sys/net/") {
			if err := os.WriteFile(path, []byte(text), 0); err != nil {
				return err
			}
		} else if _, err := os.Stat(path); err == nil {
			all[path] = text
		}
	}
	for path, text := range all {
		mine := filepath.Join(dir, filepath.Base(path))
		if err := os.WriteFile(mine, []byte(text), 0o644); err != nil {
			return err
		}
		if err := unix.Mount(mine, path, "", unix.MS_BIND, ""); err != nil {
			return &os.PathError{Op: "mount", Path: path, Err: err}
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	return os.NewSyscallError("execve", unix.Exec("/proc/self/exe", args, env))
}

func makeNetwork() error {
	for path, text := range map[string]string{
		"/proc/sys/net/ipv4/ip_unprivileged_port_start": "0", // of this namespace alone: that of a sandbox has its own
		"/proc/sys/net/ipv6/ip_nonlocal_bind":           "1", // bind(2) to an address that a route makes local
	} {
		if err := os.WriteFile(path, []byte(text), 0); err != nil && (!errors.Is(err, os.ErrNotExist) || HasIPv6()) {
			return err
		}
	}
	if err := loopbackUp(); err != nil {
		return err
	}
	steps := []Message{address(Machine4), Route(unix.RTN_LOCAL, Hosts4, Machine4),
		Route(unix.RTN_LOCAL, Private4, Machine4), Route(unix.RTN_UNICAST, "0.0.0.0/0", Machine4)}
	if HasIPv6() {
		steps = append(steps, address(Machine6), Route(unix.RTN_LOCAL, Hosts6, Machine6),
			Route(unix.RTN_UNICAST, "::/0", Machine6))
	}
	for i, m := range steps {
		if err := m.Send(); err != nil {
			return fmt.Errorf("step %d of the network: %w", i, err)
		}
	}
	return nil
}

// HasIPv6 reports whether this kernel has it.
func HasIPv6() bool {
	_, err := os.Stat("/proc/sys/net/ipv6")
	return err == nil
}
