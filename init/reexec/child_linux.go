package reexec

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"sync"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Other first arguments of a shim.
const (
	// mcp-sandbox run, by execve of itself: no socket, and the parent stays the parent. The second argument are
	// the order's descriptor and, behind a comma, the host's.
	BySelf = "self"

	// An init without a pid namespace after its shim's end, by execve of the shim's binary.
	byInit = "reap"
)

// child is the shim.
func child(args []string) int {
	if len(args) == 1 && args[0] == byInit {
		// Reap kills the caller's descendants. Any caller could do that itself, so the only check is that the binary is
		// not set-id.
		return shim.Reap()
	}
	platform.EnvironmentIsHanded() // by ChildEnv
	// Before accept asks for the peer of this socket: the answer then holds for the watched process.
	args, parent, err := takeHost(args)
	var o *order.Order
	host := -1
	if err == nil {
		o, host, err = accept(args)
	}
	if err != nil {
		Say("not started by a launcher: " + err.Error())
		return ending.ExitSandbox
	}
	return run(o, host, parent, args[0] == BySelf)
}

// accept reads the order, if arguments and descriptors are those of a launcher's start.
func accept(args []string) (o *order.Order, host int, err error) {
	fd := orderFD
	host = -1
	switch {
	case len(args) == 1 && args[0] == ByHost:
		host = hostFD
		if err = platform.PeerIs(host, unix.Getppid()); err != nil {
			return nil, -1, err
		}
	case len(args) == 2 && args[0] == BySelf:
		if fd, err = strconv.Atoi(args[1]); err != nil {
			return nil, -1, errArguments
		}
	default:
		return nil, -1, errArguments
	}
	if !platform.IsSealed(fd) {
		return nil, -1, errors.New("order: not a sealed memory file")
	}
	b, err := platform.ReadFD(fd, maxOrder)
	if err != nil {
		return nil, -1, os.NewSyscallError("read order", err)
	}
	unix.Close(fd)
	o, err = order.Decode(b)
	return o, host, err
}

// Run makes this process the shim of an order, as mcp-sandbox-init does, and returns its exit code.
func Run(o *order.Order) int {
	RefusePrivileged()
	return run(o, -1, hostOnce(), false)
}

func run(o *order.Order, host, parent int, reached bool) int {
	runtime.LockOSThread() // init dies with the thread that started it
	if host >= 0 {
		unix.CloseOnExec(host)
	}
	return shim.Run(shim.Config{Order: o, Host: host, Parent: parent, Reached: reached, Say: Say,
		Reaper: []string{Name, byInit}})
}

var sockets = sync.OnceValue(func() *order.Refused {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return shim.Sockets()
})

// Sockets is the refusal of every launch of a host that a filter ends when it makes a socket, as a systemd
// unit's without @network-io does; nil where there is no such filter. A child process that may be killed finds
// out, once.
func Sockets() *order.Refused { return sockets() }

// parentFD is a pidfd of the process that started this one; -1 if that has ended, or if this process is an orphan.
func parentFD() int {
	ppid := unix.Getppid()
	if ppid <= 1 {
		return -1
	}
	fd, err := unix.PidfdOpen(ppid, 0)
	if err != nil {
		return -1
	}
	if unix.Getppid() != ppid { // the parent ended in between: the descriptor may be another process's
		unix.Close(fd)
		return -1
	}
	return fd
}

// Exec makes this process the shim of an order by execve of its own binary: process id and parent stay, memory
// and threads do not. Exec returns only if that fails. No open descriptor is replaced: until the execve other
// threads of the Go runtime poll a descriptor of its own, and end the process when that is gone.
func Exec(o *order.Order) error {
	if !armed {
		return ErrNotArmed
	}
	if err := Unprivileged(); err != nil {
		return err
	}
	fd, err := platform.Sealed("order", o.Encode())
	if err != nil {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
		return os.NewSyscallError("fcntl F_SETFD", err)
	}
	err = unix.Exec("/proc/self/exe", []string{Name, BySelf, handOver(fd)}, ChildEnv())
	return &os.PathError{Op: "execve", Path: "/proc/self/exe", Err: err}
}

// ChildEnv is the shim's environment. GODEBUG keeps its Go runtime from looking for cgroup files; the other variables
// name the folders of temporary files, of the sockets of the user's other programs, and of this product's data, and the
// company's proxy, by which the hosts of a policy are reached. Those of the data are handed on where they are the
// user's word: this process decides, and its shims, which have another parent, go by that.
func ChildEnv() []string {
	env := []string{"GODEBUG=containermaxprocs=0"}
	for _, name := range [...]string{"TMPDIR", "HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_STATE_HOME",
		"XDG_CONFIG_HOME", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"} {
		value, set := os.LookupEnv(name)
		switch name {
		case "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME":
			set = set && platform.IsUsers(name, value)
		}
		if set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
