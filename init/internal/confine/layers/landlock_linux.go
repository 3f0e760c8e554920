package layers

import (
	"slices"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Versions of Landlock; landlock(7).
const (
	renameABI   = 2 // renaming from one folder to another can be allowed, as npm and git need it
	truncateABI = 3 // truncate(2) and O_TRUNC
	ioctlABI    = 5 // ioctl(2) of devices
	scopesABI   = 6 // signals, and connecting to an abstract socket outside
	pathnameABI = 9 // connecting to a socket by its path
)

// A rule gives rights to one path. The rule's trial is an open that needs these rights, with the same result as
// without Landlock.
type rule struct {
	path    string
	rights  uint64
	flags   int
	private bool         // a private folder: tried by making a file
	socket  bool         // an allowed socket, which row allowedSockets tries
	node    *fsview.Node // the node whose inode the path must lead to; nil for files made for the sandbox
	name    string       // in the folder at fdCanary, where the rule's path is opened; "": path is opened itself
	refuses string       // a path that must not be opened for writing; "" if none
	tried   [2]ruleTrial // without Landlock, and with it
}

// A ruleTrial is an open, or the file that was made in a private folder and removed again.
type ruleTrial struct{ made, removed program.Op }

// landlockState is passed from landlockRuleset to landlockRestrict.
type landlockState struct {
	fd     program.Op
	rules  []rule
	absent bool
}

// landlockRuleset makes the ruleset in init. The rules stand behind the mounts: they hold even if a way around the
// mounts is found.
type landlockRuleset struct {
	state *landlockState
	rules func(*fsview.View) []rule
	// least is the lowest version of use. Where the mounts hold without Landlock, a version that forbids every
	// rename is worse than none.
	least int
}

const rulePathBeneath = 1 // LANDLOCK_RULE_PATH_BENEATH

func (r landlockRuleset) layout(b *build) {
	s, abi := r.state, b.Machine.LandlockABI
	s.absent = abi < r.least
	if s.absent {
		return
	}
	rights, size := handled(abi)
	scoped := uint64(0)
	if abi >= scopesABI {
		scoped = scopes
	}
	s.fd = b.Do(sys.LandlockCreateRuleset(program.Words(rights, netRights(b), scoped), size, 0))
	s.rules = r.rules(b.View)
	// Of an empty rule the kernel says ENOMSG: before pathnameABI every socket that is seen can be connected to.
	s.rules = slices.DeleteFunc(s.rules, func(w rule) bool { return w.rights&rights == 0 })
	for i := range s.rules {
		w := &s.rules[i]
		attr := b.Data(program.Raw(w.rights & rights)) // struct landlock_path_beneath_attr
		b.Space(8)
		openRule(b, w).StoreAt(attr.Plus(8))
		b.Do(sys.LandlockAddRule(s.fd.Result(), rulePathBeneath, attr)).For(w.path)
	}
}

// openRule opens the path of a rule, without following a link at its end. The inode is compared with the node's.
func openRule(b *build, w *rule) program.Op {
	dir, name := sys.CWD, w.path
	if w.name != "" {
		dir, name = sys.FD(fdCanary), w.name
	}
	fd := b.Do(sys.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0))
	if w.node == nil {
		return fd
	}
	looked := statFD(b, fd.Result())
	looked.op.For(w.path)
	b.prove(func(c *check) {
		if c.Value(fd) <= fdTrees { // not a new descriptor
			c.refuse("open", w.path, mismatch{"a descriptor", c.result(fd)})
		}
		if c.stat(looked).FileID != w.node.FileID {
			c.refuse("open", w.path, mismatch{"what was looked at", "another"})
		}
	})
	return fd
}

// landlockRestrict applies the ruleset to the server's process. init stays without: init has to signal the server.
type landlockRestrict struct {
	state *landlockState
	lacks func(*check, int) // adds the facts that a version of Landlock lacks in the confinement
}

func (r landlockRestrict) layout(b *build) {
	abi := b.Machine.LandlockABI
	if r.state.absent {
		reason := "Landlock of this kernel (ABI " + strconv.Itoa(abi) + ") lets no file be renamed across folders"
		if abi == 0 {
			reason = withoutLandlock(&b.Machine)
		}
		b.prove(func(c *check) {
			c.set(order.Absent, reason, "the mounts alone decide what can be read and written; "+
				"abstract sockets end at the network namespace")
		})
		return
	}
	var canary, signal, bind [2]program.Op // without Landlock, and with it
	net := netRights(b) != 0
	rules := r.state.rules
	tryRules(b, rules, 0)
	writes := askWrites(b, rules)
	canary[0] = b.Ask(openCanary())
	if abi >= scopesABI {
		signal[0] = signalInit(b)
	}
	if net {
		bind[0] = tryBind(b)
	}
	b.Do(sys.LandlockRestrictSelf(r.state.fd.Result()))
	if net {
		bind[1] = tryBind(b)
	}
	canary[1] = b.Observe(openCanary())
	if abi >= scopesABI {
		signal[1] = signalInit(b)
	}
	tryWrites(b, writes)
	tryRules(b, rules, 1)
	b.prove(func(c *check) {
		c.fact("open of a file without a rule before", "opened", c.opened(canary[0]))
		c.fact("open of a file without a rule", "EACCES", c.opened(canary[1]))
		if abi >= scopesABI {
			c.fact("signal to init before", "0", c.result(signal[0]))
			c.fact("signal to init", "EPERM", c.result(signal[1]))
		}
		if net {
			proveBind(c, bind)
		}
		r.lacks(c, abi)
		proveRefusedWrites(c, writes)
		for i := range rules {
			proveRule(c, &rules[i])
		}
	})
}

// openCanary opens a file that no rule allows.
func openCanary() program.Syscall {
	return sys.Openat(sys.FD(fdCanary), CanaryFile, unix.O_RDONLY|unix.O_CLOEXEC, 0)
}

// signalInit tries to signal init, which is the parent of the server's process.
func signalInit(b *build) program.Op {
	parent := b.Ask(sys.Getppid()).Returns(program.Int(initPID(b.layout)))
	return b.Observe(sys.Kill(parent.Result(), program.Int(0)))
}

// tryRules tries the rules, by acts that leave nothing behind; when is 0 without Landlock and 1 with it. In a private
// folder a file is made, for /dev gives /dev/shm the right to open one.
func tryRules(b *build, rules []rule, when int) {
	for i := range rules {
		w := &rules[i]
		t, path := &w.tried[when], w.path
		if w.socket {
			continue
		}
		if w.private {
			file := path + "/.trial"
			t.made = b.Observe(sys.Mknodat(sys.CWD, file, unix.S_IFREG|0o600, 0))
			t.removed = b.Observe(sys.Unlinkat(sys.CWD, file, 0))
			continue
		}
		if path == "/dev" {
			path = nullPath
		}
		t.made = b.Observe(sys.Openat(sys.CWD, path, w.flags, 0o600))
	}
}

// proveRule compares the two trials of a rule.
func proveRule(c *check, w *rule) {
	if w.socket {
		return
	}
	if w.private {
		made := func(t *ruleTrial) string { return c.result(t.made) + ", removed " + c.result(t.removed) }
		c.fact("make a file in "+w.path, "0, removed 0", made(&w.tried[1]))
		c.fact("make a file in "+w.path+" before", "0, removed 0", made(&w.tried[0]))
		return
	}
	gives := choose(w.rights&^uint64(rightsRead) == 0, "read ", "write ")
	if w.refuses != "" && gives != "read " {
		c.refuse("rule", w.path, mismatch{"a right to read", "a right to write"})
	}
	c.fact(gives+w.path, c.opened(w.tried[0].made), c.opened(w.tried[1].made))
}

// withoutLandlock is the reason for which the machine has no Landlock; [platform.NoLandlock].
func withoutLandlock(m *Machine) string {
	switch e := m.NoLandlock; {
	case m.Kills(unix.SYS_LANDLOCK_CREATE_RULESET):
		return "what the launcher runs in ends whoever asks for Landlock, by SIGSYS"
	case e == unix.EOPNOTSUPP:
		return "the kernel has Landlock, and it was not started at boot"
	case e == unix.EPERM || e == unix.EACCES:
		return "what the launcher runs in refuses Landlock: " + e.Error()
	}
	return "the kernel has no Landlock, or what the launcher runs in hides it"
}
