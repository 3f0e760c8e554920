package layers

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

const (
	procPath = "/proc"

	// /proc/keys lists all keys of the uid, the host's included: keys are not namespaced by user. Some kernels have no
	// such file.
	procKeys = procPath + "/keys"
)

// A procMount is the fresh /proc of a server with a root of its own. The zero value is the host's /proc.
type procMount struct {
	fresh bool
	tries [2]program.Op // mounts of proc: with hidepid, and without where the kernel's proc does not know it
	keys  program.Op    // the mask over /proc/keys
	stat  stat          // of /proc in the new root
}

// mount mounts proc with hidepid, if the kernel's proc knows the value; proc(5). Where the launcher's /proc is masked
// in parts, as in containers, the kernel refuses a fresh proc (EPERM), and /proc stays an empty folder.
func (p *procMount) mount(b *build, keysMask program.Arg) {
	var done program.Label
	try := func(options string) program.Op {
		return b.Try(sys.Mount("proc", "proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options))
	}
	p.fresh = true
	p.tries[0] = try("hidepid=2")
	b.BranchUnless(program.Errno(unix.EINVAL), &done)
	p.tries[1] = try("")
	b.Bind(&done)
	b.setAttributes(keysMask, attrReadOnly, procKeys)
	p.keys = b.Try(sys.MoveMount(keysMask, sys.CWD, procKeys[1:])).For(procKeys)
}

// mounted reports whether the server has a /proc.
func (p *procMount) mounted(c *check) bool {
	return !p.fresh || c.succeeded(p.tries[0]) || c.succeeded(p.tries[1])
}

// lacks adds the facts that a fresh /proc lacks.
func (p *procMount) lacks(c *check) {
	reason := "mount proc: " + c.Errno(p.tries[0]).Error()
	if !p.mounted(c) {
		c.lacks("fresh /proc", "mounted", reason,
			"/proc is empty: this machine hides parts of its own; runtimes that read it, such as Java, may not start")
		return
	}
	for i := range c.Mounts {
		m := &c.Mounts[i]
		hides := m.HasSuper("hidepid=invisible") || m.HasSuper("hidepid=2")
		if m.Path == procPath && hasOptions(m, flagsProc) && m.Type == "proc" && !hides {
			c.lacks("hidepid", "2", reason, "process 1 can be seen, though not looked into")
		}
	}
}

func hasOptions(m *platform.Mount, options string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if !m.Has(o) {
			return false
		}
	}
	return true
}

// readOnlyProc makes /proc read-only, after the last write to it. A server with the machine's user 0 (a container's
// root without another id) owns /proc/sys: there Landlock alone would keep it from writing core_pattern, and with it
// a program that the host's root runs.
type readOnlyProc struct{ proc *procMount }

func (r readOnlyProc) layout(b *build) {
	var none program.Label
	b.Observe(sys.Faccessat(sys.CWD, "/proc/self/stat", unix.F_OK))
	b.BranchUnlessOK(&none)
	b.Do(sys.Remount(procPath, unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC)).For(procPath)
	b.Bind(&none)
	r.proc.stat = b.stat(procPath)
	// /proc/self: another sandbox's /proc, or the host's, has another number for init.
	at := b.Space(16)
	self := fileRead{b.Observe(sys.Readlinkat(sys.CWD, "/proc/self", at, 16)), at}
	b.prove(func(c *check) { // the mount's flags are pivot's, which compares all mounts
		if !r.proc.mounted(c) {
			return
		}
		c.fact("/proc/self of init", "1", string(c.bytesOf(self)))
		if o := r.proc.keys; c.Ran(o) && c.Errno(o) != 0 && c.Errno(o) != unix.ENOENT {
			c.refuse("move_mount", procKeys, c.Errno(o))
		}
	})
}
