package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// procKeys tells everybody the names of the keys of his user, those of the host's processes too: the kernel knows no
// namespace of keys by their user. Some machines' kernels are without it.
const procKeys = procPath + "/keys"

const procPath = "/proc"

// readOnlyProc makes /proc read-only, once nothing of it has to be written any more. A server of the machine's user 0 (a
// container's root that has no other id) is the owner of /proc/sys: there Landlock alone would keep it from writing
// core_pattern, and with it a program for the host's root to run.
type readOnlyProc struct {
	self program.Op // by init: another sandbox's /proc, or the host's, has another number for it
	at   program.Addr
}

func (r *readOnlyProc) ops(b *build) {
	none := new(program.Label)
	b.Observe(sys.Faccessat(sys.CWD, "/proc/self/stat", unix.F_OK))
	b.BranchUnlessOK(none)
	b.Do(sys.Remount(procPath, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC)).For(procPath)
	b.Bind(none)
	b.launch.procStat = b.stat("/proc")
	r.at = b.Space(16)
	r.self = b.Observe(sys.Readlinkat(sys.CWD, "/proc/self", r.at, 16))
}

// check: the mounts are compared as a whole, and this one with them.
func (r *readOnlyProc) check(c *check) {
	if c.procMounted() {
		c.fact("/proc/self of init", "1", string(c.Filled(r.self, r.at)))
	}
	if o := c.launch.keysMask; c.procMounted() && c.Ran(o) && c.Errno(o) != 0 && c.Errno(o) != unix.ENOENT {
		c.refuse("move_mount", procKeys, c.Errno(o))
	}
}

// procDev is the file system that a path to /proc leads to, as mountinfo writes it: with filesystem.default "read" the
// host's own lies below.
func (c *check) procDev() string {
	return devName(c.stat(c.launch.procStat).dev)
}

// devName is a device's number as mountinfo writes it.
func devName(dev uint64) string {
	return strconv.FormatUint(dev>>32, 10) + ":" + strconv.FormatUint(dev&0xffffffff, 10)
}

// masksKeys reports whether there is a list of keys, and so something over it.
func (c *check) masksKeys() bool { return c.Ran(c.launch.keysMask) && c.Errno(c.launch.keysMask) == 0 }
