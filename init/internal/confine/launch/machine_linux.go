package launch

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// nobody is the user that a root launcher's servers get unless the policy names another: not 65534, which stands
// for unmapped ids.
const nobody = 65533

// look finds an attempt's facts about this machine.
func look(m *layers.Machine, c policy.Confinement) (err error) {
	if m.Kernel, err = platform.Kernel(); err != nil {
		return err
	}
	if m.NoLandlock, m.LandlockABI = 0, 0; !m.Kills(unix.SYS_LANDLOCK_CREATE_RULESET) {
		if m.LandlockABI, err = platform.LandlockABI(); err != nil {
			return err
		}
		if m.LandlockABI == 0 {
			m.NoLandlock = platform.NoLandlock()
		}
	}
	// Where there are no such links, as in gVisor's /proc, namespaces of one's own could not be proved.
	if m.Namespaces, err = platform.Namespaces(); err != nil && c == policy.Full {
		return err
	}
	m.Shared = c != policy.Full
	m.MachinesRoot = !m.Root && platform.MachinesRoot()
	if m.Caps, err = platform.ReadCapabilities(); err != nil {
		return err
	}
	if m.Umask, err = platform.Umask(); err != nil {
		return err
	}
	m.Route, m.IPv6 = platform.RouteOut(), platform.HasIPv6()
	m.CPUs = runtime.NumCPU()
	pattern, err := platform.ReadSmall("/proc/sys/kernel/core_pattern", 256)
	if err == nil && len(pattern) > 0 { // else it stays unknown
		m.CorePattern = pattern[0]
	}
	m.CountsProcesses = platform.KernelAtLeast(m.Kernel, 5, 14)
	groups, err := unix.Getgroups()
	if err != nil {
		return os.NewSyscallError("getgroups", err)
	}
	m.Groups = len(groups)
	if m.Dumpable, err = dumpable(m.Root && c == policy.Full); err != nil {
		return err
	}
	for i := range m.Hard {
		var l unix.Rlimit
		if err = unix.Getrlimit(i, &l); err != nil {
			return err
		}
		m.Hard[i] = l.Max
	}
	return nil
}

// CheckProc is an error if the numbers in /proc are those of other processes: evidence would be looked up in the
// wrong ones, and without a pid namespace the server's descendants would not be found.
func CheckProc() error {
	own, err := platform.OwnProc()
	switch {
	case err != nil:
		err = errors.Unwrap(err)
	case !own:
		err = errors.New("it shows the processes of another pid namespace")
	default:
		return nil
	}
	return &order.Refusal{Layer: order.Namespaces, Op: diagnose.OpProc, Path: "/proc", Err: err}
}

// Identify chooses the server's ids. An ordinary user's server has the user's own. Root's has another's, if this user
// namespace has one; else (a container with one id) root's own number is hidden behind it.
func Identify(p *policy.Policy) (m layers.Machine, err error) {
	m.OuterUID, m.OuterGID = unix.Geteuid(), unix.Getegid()
	m.UID, m.GID = m.OuterUID, m.OuterGID
	if m.OuterUID != 0 {
		return m, nil
	}
	uid, gid := nobody, nobody
	if p.User != "" {
		uid, gid = splitUser(p.User)
	}
	m.UID, m.GID = uid, gid
	for i, file := range []string{"/proc/self/uid_map", "/proc/self/gid_map"} {
		b, err := platform.ReadSmall(file, 64<<10)
		if err != nil {
			return m, &order.Refusal{Layer: order.Namespaces, Op: "find out the ids", Err: err}
		}
		ranges, ok := platform.ParseIDMap(b)
		if !ok || !platform.Mapped(ranges, []int{uid, gid}[i]) {
			return m, nil
		}
	}
	m.OuterUID, m.OuterGID, m.Root = uid, gid, true
	return m, nil
}

// identifyShared chooses the server's ids where no namespace maps them: those that root gives itself up for, else the
// launcher's own. A root that has no others is let pass only where it is some other user of the machine.
func identifyShared(m *layers.Machine, c policy.Confinement) error {
	if c == policy.None {
		m.Root, m.UID, m.GID = false, unix.Geteuid(), unix.Getegid()
		m.OuterUID, m.OuterGID = m.UID, m.GID
		return nil
	}
	if m.Root {
		return nil
	}
	m.UID, m.GID = m.OuterUID, m.OuterGID
	if platform.MachinesRoot() {
		return &order.Refusal{Layer: order.Privileges, Op: diagnose.OpGiveUp, Err: unix.EPERM}
	}
	return nil
}

// dumpable is the future value of init's flag. A change of ids sets it to fs.suid_dumpable; proc_sys_fs(5).
func dumpable(changesIDs bool) (int, error) {
	if !changesIDs {
		return 1, nil
	}
	const file = "/proc/sys/fs/suid_dumpable"
	b, err := platform.ReadSmall(file, 64)
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0, &os.PathError{Op: "read", Path: file, Err: err}
	}
	return n, nil
}

// splitUser reads "uid:gid"; policy.Parse has checked it.
func splitUser(s string) (uid, gid int) {
	u, g, _ := strings.Cut(s, ":")
	uid, _ = strconv.Atoi(u)
	gid, _ = strconv.Atoi(g)
	return uid, gid
}
