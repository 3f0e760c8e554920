package egress_test

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// Addresses of the world. Those of the machine stand on its loopback interface.
const (
	machine4   = "192.0.2.77"
	machine6   = "2001:db8:ffff::77"
	nameServer = "203.0.113.53"
	hosts4     = "203.0.113.0/24"
	hosts6     = "2001:db8::/32"
	private4   = "10.99.0.0/16" // hosts of a private network
	silent4    = "198.51.100.9" // where no host is: what is sent there is not answered
	inFile     = "in-file.example.com"
	fileAt     = "203.0.113.200"
)

// makeWorld makes this process's namespaces the world, and executes the tests there, with the rights of their user alone.
func makeWorld(dir string) error {
	runtime.LockOSThread() // whose rights the execve takes
	if err := makeNetwork(); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return os.NewSyscallError("private mounts", err)
	}
	for path, text := range map[string]string{
		"/etc/resolv.conf": "nameserver " + nameServer + "\noptions timeout:1 attempts:2\n",
		"/etc/passwd":      passwd(),
		"/etc/hosts":       "127.0.0.1 localhost\n::1 localhost\n" + fileAt + " " + inFile + "\n",
	} {
		if _, err := os.Stat(path); path == "/etc/passwd" && err != nil {
			continue // a machine without users has no server here that wants one
		}
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
	os.Setenv(worldEnv, inWorld)
	return os.NewSyscallError("execve", unix.Exec("/proc/self/exe", os.Args, os.Environ()))
}

// passwd has those that servers of the tests run as, whoever they are, and what is of this machine.
func passwd() string {
	all, _ := os.ReadFile("/etc/passwd")
	return fmt.Sprintf("tester:x:%d:%d::/tmp:/bin/sh\n%s", cmp.Or(os.Getuid(), daemonUser), cmp.Or(os.Getgid(), daemonUser), all)
}

func makeNetwork() error {
	for path, text := range map[string]string{
		"/proc/sys/net/ipv4/ip_unprivileged_port_start": "0", // of this namespace alone: that of a sandbox has its own
		"/proc/sys/net/ipv6/ip_nonlocal_bind":           "1", // bind(2) to an address that a route makes local
	} {
		if err := os.WriteFile(path, []byte(text), 0); err != nil && (!errors.Is(err, os.ErrNotExist) || hasIPv6()) {
			return err
		}
	}
	if err := loopbackUp(); err != nil {
		return err
	}
	steps := []message{newAddress(machine4), newRoute(unix.RTN_LOCAL, hosts4, machine4),
		newRoute(unix.RTN_LOCAL, private4, machine4), newRoute(unix.RTN_UNICAST, "0.0.0.0/0", machine4)}
	if hasIPv6() {
		steps = append(steps, newAddress(machine6), newRoute(unix.RTN_LOCAL, hosts6, machine6), newRoute(unix.RTN_UNICAST, "::/0", machine6))
	}
	for i, m := range steps {
		if err := m.send(); err != nil {
			return fmt.Errorf("step %d of the network: %w", i, err)
		}
	}
	return nil
}

// hasIPv6 reports whether this kernel has it.
func hasIPv6() bool {
	_, err := os.Stat("/proc/sys/net/ipv6")
	return err == nil
}

// free are the numbers of the hosts' addresses that no test has.
var free = struct {
	sync.Mutex
	numbers []byte
}{numbers: freeNumbers()}

func freeNumbers() (all []byte) {
	for n := byte(199); n > 0; n-- { // from 200 on: those that have a name here
		if n != 53 { // the name server's
			all = append(all, n)
		}
	}
	return all
}

// newAddresses are addresses of the world that no other test has until this one's end.
func newAddresses(t *testing.T) (v4, v6 netip.Addr) {
	t.Helper()
	free.Lock()
	defer free.Unlock()
	last := len(free.numbers) - 1
	if last < 0 {
		t.Fatal("the world has no more addresses")
	}
	n := free.numbers[last]
	free.numbers = free.numbers[:last]
	t.Cleanup(func() {
		free.Lock()
		defer free.Unlock()
		free.numbers = append(free.numbers, n)
	})
	return netip.AddrFrom4([4]byte{203, 0, 113, n}), netip.AddrFrom16([16]byte{0x20, 0x01, 0x0d, 0xb8, 15: n})
}
