//go:build darwin || linux

package limitsonly

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/proctree"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// detach gives a process a session of its own.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// posture is what the server has of its process.
func posture() {
	mask := unix.Umask(0)
	list, err := descriptors()
	open := 0
	for _, fd := range list {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); fd > 2 && err == nil && !ownDescriptor(fd) {
			open++
		}
	}
	groups, _ := os.Getgroups()
	if os.Getuid() != 65533 { // an ordinary user keeps its own
		groups = nil
	}
	fmt.Printf("umask %04o, %d descriptors more, %v, user %d, groups beside its own: %s\n", mask, open, err, os.Getuid(), others(groups, os.Getgid()))
}

// ownDescriptor reports whether the runtime opened it, which marks all of its own.
func ownDescriptor(fd int) bool {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil && flags&unix.FD_CLOEXEC != 0
}

// What the helper does to its own process is so in the server's: the mask, the descriptors, the ids.
func TestPosture(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	user := os.Getuid()
	if user == 0 {
		user = 65533
	}
	l := trial{Policy: policy.Policy{Umask: "0027"}, Serve: []string{"posture"}}.launch(t, func(c *exec.Cmd) {
		c.ExtraFiles = []*os.File{r, w}
		if os.Geteuid() == 0 { // with groups that the server must not have
			c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Groups: []uint32{0, 12345}}}
		}
	})
	out, code, first, _ := l.all(t)
	if want := fmt.Sprintf("umask 0027, 0 descriptors more, <nil>, user %d, groups beside its own: none\n", user); out != want || code != 0 || first == nil {
		t.Errorf("%q, want %q\n%s", out, want, l.errs.String())
	}
}

// A limit of memory holds only if as much and one MiB more is refused afterwards. Linux holds both.
func TestMemoryIsTried(t *testing.T) {
	l := trial{Policy: policy.Policy{Limits: policy.Limits{Memory: 1 << 30, AddressSpace: 8 << 30}}, Serve: []string{"exit", "0"}}.launch(t)
	_, code, first, _ := l.all(t)
	if code != 0 || first == nil {
		t.Fatalf("status %d\n%s", code, l.errs.String())
	}
	got := map[string]string{}
	for i := range first.Layers {
		for _, f := range first.Layers[i].Facts {
			if first.Layers[i].Layer == order.Limits {
				got[f.Name] = f.Got
			}
		}
	}
	for _, name := range []string{"data", "address space"} {
		if got[name] != "" && got[name+", one MiB more"] != "ENOMEM" {
			t.Errorf("%s is claimed and not tried: %v", name, got)
		}
	}
}

// alter takes away one limit, by name, or makes it larger.
func alter(all *limits, name string) {
	name, more := strings.CutPrefix(name, "more ")
	name, hard := strings.CutPrefix(name, "hard ")
	for i := range *all {
		switch l := &(*all)[i]; {
		case l.name != name:
		case more:
			l.value++
		case hard:
			l.ahead += 1 << 20
		default:
			*all = slices.Delete(*all, i, i+1)
			return
		}
	}
}

// breakaway is of Windows.
func breakaway() string { return "" }

// A limit that is not set is noticed: what was read back is compared with what follows from the policy.
func TestRemovedLimitIsNoticed(t *testing.T) {
	for _, name := range []string{"core", "open files", "data", "more open files", "more data", "hard open files", "hard core"} {
		r := trial{Serve: []string{"exit", "0"}, Remove: name}.launch(t)
		if _, code, first, _ := r.all(t); code != 125 || first != nil {
			t.Errorf("without %s: status %d, want a refused launch\n%s", name, code, r.errs.String())
		}
	}
}

// A limit is told with the value that follows from the policy, soft and hard, and under its own name.
func TestMissed(t *testing.T) {
	const unlimited = 1<<63 - 1
	plain, ahead := limit{name: "data", resource: unix.RLIMIT_DATA, value: 100}, limit{name: "cpu time", resource: unix.RLIMIT_CPU, value: 100, ahead: 1}
	processes := limit{name: "processes", resource: unix.RLIMIT_NPROC, value: 100}
	for _, c := range []struct {
		limit  limit
		hard   uint64
		name   string
		told   string
		missed bool
	}{
		{plain, unlimited, "data", "100", false}, {plain, unlimited, "data", "101", true}, {plain, unlimited, "data", "99", true},
		{plain, unlimited, "data", "100 of 200", true}, {plain, unlimited, "data", "100 of 9223372036854775807", true},
		{plain, unlimited, "data, one MiB more", "100", true}, {plain, unlimited, "address space", "100", true}, {plain, unlimited, "", "", true},
		{plain, 50, "data (the launcher's own hard limit)", "50", false}, {plain, 50, "data (the launcher's own hard limit)", "49", true},
		{plain, unlimited, "data (the launcher's own hard limit)", "50", true}, {plain, 50, "data", "50", true},
		{ahead, unlimited, "cpu time", "100 of 101", false}, {ahead, unlimited, "cpu time", "100", true}, {ahead, 100, "cpu time", "100", false},
		{processes, unlimited, "processes", "117", false}, {processes, unlimited, "processes", "117 of 118", true},
	} {
		if got := c.limit.missed([]order.Fact{{Name: "core", Want: "0"}, {Name: c.name, Want: c.told}}, c.hard); (got != nil) != c.missed {
			t.Errorf("%s told as %q %q below %d: %v", c.limit.name, c.name, c.told, c.hard, got)
		}
	}
}

// A group more than its own is told, and is not what was wanted.
func TestGroupsAreCompared(t *testing.T) {
	for _, c := range []struct {
		list []int
		want string
	}{{nil, noGroups}, {[]int{7}, noGroups}, {[]int{7, 7}, noGroups}, {[]int{7, 8}, "8"}, {[]int{0}, "0"}, {[]int{8, 7, 9}, "8 9"}} {
		if got := others(c.list, 7); got != c.want {
			t.Errorf("%v: %s, want %s", c.list, got, c.want)
		}
	}
}

// lives reports whether a process does more than wait for its parent to reap it.
func lives(pid int) bool {
	for _, p := range proctree.Table() {
		if p.PID == pid {
			return !p.Dead()
		}
	}
	return false
}

// A host's end is its server's, also of a shim that was stopped.
func TestHostKilled(t *testing.T) {
	for _, stop := range []bool{false, true} {
		r := trial{Serve: []string{"tree", "2"}}.launch(t, func(c *exec.Cmd) { c.Args[0] = hostName })
		shim := r.pid(t)
		pids := []int{r.pid(t), r.pid(t), r.pid(t)}
		if stop {
			unix.Kill(shim, unix.SIGSTOP)
		}
		if err := r.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for _, pid := range pids {
			gone(t, pid)
		}
		unix.Kill(shim, unix.SIGCONT)
		gone(t, shim)
	}
}

// A signal to the shim is the server's too.
func TestSignalIsPassedOn(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGUSR1, syscall.SIGTERM} {
		r := trial{Serve: []string{"polite"}}.launch(t)
		r.pid(t)
		if err := r.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if _, code, _, last := r.all(t); code != 5 || last == nil || (last.Cause == order.CauseCancelled) != (sig == syscall.SIGTERM) {
			t.Errorf("%v: status %d, %+v", sig, code, last)
		}
	}
}
