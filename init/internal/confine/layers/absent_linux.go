package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The rows of this file make no call. The rows report which protection a server in the host's namespaces and root
// lacks. A layer without a row is off, in level privileged only.

// absent is a layer that a confinement lacks, with the effect.
type absent struct{ effect string }

// The effects of layers that confinement limits lacks.
const (
	hostProcesses = "the server can do to the host's processes what the launcher's user can"
	hostFiles     = "every file of the launcher's user can be read and written"
	noBarrier     = "nothing decides what can be read and written but the user's own rights"
)

func (r absent) layout(b *build) { proveAbsent(b, r.effect) }

// proveAbsent says that the confinement lacks the layer of the row.
func proveAbsent(b *build, effect string) {
	reason := "the confinement is " + string(b.layout.confinement)
	if b.Lost != "" {
		reason += ", for full was refused: " + b.Lost
	}
	b.prove(func(c *check) { c.set(order.Absent, reason, effect) })
}

// noNamespaces is reduced, where Landlock and the filter stand in.
func noNamespaces(b *build) {
	const seen = "the host's processes can be seen, their command lines with them; "
	if b.Machine.LandlockABI >= scopesABI {
		proveAbsent(b, seen+"they cannot be signalled, traced or asked for System V IPC")
		return
	}
	proveAbsent(b, seen+"those of the launcher's user can be signalled, but for init and the launcher")
}

// noRoot is reduced, where Landlock is the file barrier.
func noRoot(b *build) {
	effect := "/etc is the host's, and names, sizes and owners of its files can be seen wherever the user may look; " +
		"modes and times of the user's own can be changed; no pty and no /dev/shm; " +
		"the private folder has no limit of size"
	if n := len(b.View.Unprotected); n > 0 {
		effect += "; what runs code on the host can be written inside write grants, see unprotected (" +
			strconv.Itoa(n) + ")"
	}
	for _, u := range b.View.Unheld {
		effect += "; " + u.Key + " " + u.Path + " does not hold"
	}
	proveAbsent(b, effect)
}

// openNetwork is a kernel without seccomp, which bounds the network where there is no namespace.
func openNetwork(b *build) {
	if b.hostNet() {
		b.prove(func(c *check) { c.set(order.Off, "", "") })
		return
	}
	effect := "the server has the host's network"
	if len(b.Policy.Network.AllowedDomains)+len(b.Policy.Network.DeniedDomains) > 0 {
		effect += "; network.allowedDomains and deniedDomains do not hold"
	}
	proveAbsent(b, effect)
}

// noFilter is a kernel without seccomp.
func noFilter(b *build) {
	effect := "every system call of the kernel's can be made"
	if b.oneExec() {
		effect += "; subprocess.allow false does not hold"
	}
	if len(b.Policy.Seccomp.Deny) > 0 {
		effect += "; seccomp.deny does not hold"
	}
	proveAbsent(b, effect)
}
