package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"golang.org/x/sys/unix"
)

// freshMounts mounts the file systems that are made fresh for a sandbox.
//
// proc hides the processes of others, init among them, where the kernel's proc can (hidepid, proc(5)); a machine that
// masks parts of its own /proc, as containers do, refuses a fresh one (EPERM), and then /proc stays empty.
func (b *build) freshMounts() {
	done := new(program.Label)
	proc := func(options string) program.Op {
		return b.Try(sys.Mount("proc", "proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, options))
	}
	b.launch.proc[0] = proc("hidepid=2")
	b.BranchUnless(program.Errno(unix.EINVAL), done)
	b.launch.proc[1] = proc("")
	b.Bind(done)
	b.attributes(b.keysTree, attrReadOnly, procKeys)
	b.launch.keysMask = b.Try(sys.MoveMount(b.keysTree, sys.CWD, procKeys[1:])).For(procKeys)
	b.mount("devpts", "dev/pts", "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=0620")
}

// procMounted reports whether one of the two mounts went through.
func (c *check) procMounted() bool {
	for _, o := range c.launch.proc {
		if c.Ran(o) && c.Errno(o) == 0 {
			return true
		}
	}
	return false
}

// freshProc adds what is known of /proc.
func (c *check) freshProc() {
	if !c.procMounted() {
		c.lacks("fresh /proc", "mounted", "mount proc: "+c.Errno(c.launch.proc[0]).Error(),
			"/proc is empty: this machine hides parts of its own; runtimes that read it, such as Java, may not start")
		return
	}
	for i := range c.Mounts {
		m := &c.Mounts[i]
		if m.Path == "/proc" && hasOptions(m, flagsProc) && m.Type == "proc" && !m.HasSuper("hidepid=invisible") && !m.HasSuper("hidepid=2") {
			c.lacks("hidepid", "2", "mount proc: "+c.Errno(c.launch.proc[0]).Error(), "process 1 can be seen, though not looked into")
		}
	}
}
