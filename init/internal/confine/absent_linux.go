package confine

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The rows of this file make no call. They say what a server in the host's namespaces and root lacks. A layer without
// a row is off; that is so with level privileged only.

// absent is a layer that a confinement lacks, with what follows.
type absent struct {
	noCalls
	effect string
}

// What follows where confinement limits lacks a layer.
const (
	hostProcesses = "the server can do to the host's processes what the launcher's user can"
	hostFiles     = "every file of the launcher's user can be read and written"
	noBarrier     = "nothing decides what can be read and written but the user's own rights"
)

func (r *absent) check(c *check) { c.absent(r.effect) }

func (c *check) absent(effect string) {
	c.layer.State = order.Absent
	c.layer.Reason = "the confinement is " + string(c.launch.confinement)
	if c.Lost != "" {
		c.layer.Reason += ", for full was refused: " + c.Lost
	}
	c.layer.Effect = effect
}

// noNamespaces is reduced, where Landlock and the filter stand in.
type noNamespaces struct{ noCalls }

func (r *noNamespaces) check(c *check) {
	const seen = "the host's processes can be seen, their command lines with them; "
	if c.Machine.LandlockABI >= scopesABI {
		c.absent(seen + "they cannot be signalled, traced or asked for System V IPC")
		return
	}
	c.absent(seen + "those of the launcher's user can be signalled, but for init and the launcher")
}

// noRoot is reduced, where Landlock is the file barrier.
type noRoot struct{ noCalls }

func (r *noRoot) check(c *check) {
	effect := "/etc is the host's, and names, sizes and owners of its files can be seen wherever the user may look; " +
		"modes and times of the user's own can be changed; no pty and no /dev/shm; " +
		"the private folder has no limit of size"
	if n := len(c.View.Unprotected); n > 0 {
		effect += "; what runs code on the host can be written inside write grants, see unprotected (" +
			strconv.Itoa(n) + ")"
	}
	for _, u := range c.View.Unheld {
		effect += "; " + u.Key + " " + u.Path + " does not hold"
	}
	c.absent(effect)
}

// openNetwork is a kernel without seccomp, which bounds the network where there is no namespace.
type openNetwork struct{ noCalls }

func (r *openNetwork) check(c *check) {
	if c.hostNet() {
		c.layer.State = order.Off
		return
	}
	c.absent("the server has the host's network")
}

// noFilter is a kernel without seccomp.
type noFilter struct{ noCalls }

func (r *noFilter) check(c *check) {
	effect := "every system call of the kernel's can be made"
	if c.oneExec() {
		effect += "; subprocess.allow false does not hold"
	}
	if len(c.Policy.Seccomp.Deny) > 0 {
		effect += "; seccomp.deny does not hold"
	}
	c.absent(effect)
}
