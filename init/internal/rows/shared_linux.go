package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The rows of this file make no call: they say what a server without namespaces and without a root of its own has not got.

func (c *check) absent(effect string) {
	c.layer.State = order.Absent
	c.layer.Reason = "the confinement is " + string(c.launch.confinement)
	if c.Lost != "" {
		c.layer.Reason += ", for full was refused: " + c.Lost
	}
	c.layer.Effect = effect
}

type noNamespaces struct{ noCalls }

func (r *noNamespaces) check(c *check) {
	switch {
	case c.launch.is(reduced) && c.Machine.LandlockABI >= scopesABI:
		c.absent("the host's processes can be seen, their command lines with them; they cannot be signalled, traced or asked for System V IPC")
	case c.launch.is(reduced):
		c.absent("the host's processes can be seen, their command lines with them; those of the launcher's user can be signalled, but for init and the launcher")
	case c.launch.is(limitsAny):
		c.absent("the server can do to the host's processes what the launcher's user can")
	default:
		c.layer.State = order.Off
	}
}

type noRoot struct{ noCalls }

func (r *noRoot) check(c *check) {
	switch {
	case c.launch.is(reduced):
		effect := "/etc is the host's, and names, sizes and owners of its files can be seen wherever the user may look; modes and times of the user's own can be changed; " +
			"no pty and no /dev/shm; the private folder has no limit of size"
		if n := len(c.View.Unprotected); n > 0 {
			effect += "; what runs code on the host can be written inside write grants, see unprotected (" + strconv.Itoa(n) + ")"
		}
		for _, u := range c.View.Unheld {
			effect += "; " + u.Key + " " + u.Path + " does not hold"
		}
		c.absent(effect)
	case c.launch.is(limitsAny):
		c.absent("every file of the launcher's user can be read and written")
	default:
		c.layer.State = order.Off
	}
}

type noLandlock struct{ noCalls }

func (r *noLandlock) check(c *check) {
	if c.launch.is(unconfined) {
		c.layer.State = order.Off
		return
	}
	c.absent("nothing decides what can be read and written but the user's own rights")
}

// openNetwork, allPrivileges and noFilter are what level privileged is; the first and the last also what is missing where
// the kernel has no seccomp.
type openNetwork struct{ noCalls }

func (r *openNetwork) check(c *check) {
	if c.launch.is(unconfined) || c.hostNet() {
		c.layer.State = order.Off
		return
	}
	c.absent("the server has the host's network")
}

type allPrivileges struct{ noCalls }

func (r *allPrivileges) check(c *check) { c.layer.State = order.Off }

type noFilter struct{ noCalls }

func (r *noFilter) check(c *check) {
	if c.launch.is(unconfined) {
		c.layer.State = order.Off
		return
	}
	effect := "every system call of the kernel's can be made"
	if c.oneExec() {
		effect += "; subprocess.allow false does not hold"
	}
	if len(c.Policy.Seccomp.Deny) > 0 {
		effect += "; seccomp.deny does not hold"
	}
	c.absent(effect)
}
