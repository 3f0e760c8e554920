package rows

import (
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// Rights of landlock(7). Those that are given: to everything visible, to files, to folders of the sandbox's own.
const (
	rightsRead  = syscall.AccessFSExecute | syscall.AccessFSReadFile | syscall.AccessFSReadDir
	rightsFile  = syscall.AccessFSExecute | syscall.AccessFSReadFile | syscall.AccessFSWriteFile | syscall.AccessFSTruncate
	rightsWrite = rightsRead | rightsFile | syscall.AccessFSRemoveDir | syscall.AccessFSRemoveFile | syscall.AccessFSMakeDir |
		syscall.AccessFSMakeReg | syscall.AccessFSMakeSock | syscall.AccessFSMakeFifo | syscall.AccessFSMakeSym | syscall.AccessFSRefer
	rightsPrivate = rightsWrite | syscall.AccessFSResolveUnix
	rightsDev     = rightsFile | syscall.AccessFSReadDir | syscall.AccessFSIoctlDev
	scopes        = syscall.ScopeAbstractUnixSocket | syscall.ScopeSignal
)

// handled are the file rights that each version of Landlock knows, and how large its struct landlock_ruleset_attr is.
func handled(abi int) (rights, size uint64) {
	last, size := uint(12), uint64(8)
	for _, v := range [...]struct {
		abi  int
		last uint
		size uint64
	}{{2, 13, 8}, {3, 14, 8}, {4, 14, 16}, {5, 15, 16}, {6, 15, 24}, {9, 16, 24}} {
		if abi >= v.abi {
			last, size = v.last, v.size
		}
	}
	return 1<<(last+1) - 1, size
}

// A rule gives rights to one place. Its trial is an open that needs them: it must go as it went without Landlock.
type rule struct {
	path          string
	rights        uint64
	flags         int
	private       bool
	node          *view.Node // whose inode has to lie there; nil for what is made for the sandbox
	opened        program.Op
	looked        stat
	before, after program.Op
	removed       [2]program.Op // of a private folder: the file of the trial is removed again
}

// landlockRuleset is Landlock's half that init can do: the rules. They stand behind the mounts: what can be read is what
// the root shows, and what can be written is what was granted, even if a way around the mounts were found.
type landlockRuleset struct{}

// landlockState is what the two rows share.
type landlockState struct {
	fd    program.Op
	rules []rule
}

// minLandlock is the first version with which files can be renamed across folders, as npm and git do.
const minLandlock = 2

// withoutLandlock tells why there is none; [platform.NoLandlock].
func (m *Machine) withoutLandlock() string {
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

// lacksLandlock reports whether the kernel's is none, or too old: in full, where the mounts hold without it, one that
// would break renames is worse than none.
func (r *Request) lacksLandlock(l *Launch) bool {
	return l.is(full) && r.Machine.LandlockABI < minLandlock
}

func (r *landlockRuleset) ops(b *build) {
	if b.lacksLandlock(b.launch) {
		return
	}
	l := b.launch
	rights, size := handled(b.Machine.LandlockABI)
	scoped := uint64(0)
	if size >= 24 {
		scoped = scopes
	}
	l.landlock.fd = b.Do(sys.LandlockCreateRuleset(program.Words(rights, 0, scoped), size, 0))
	if l.is(full) {
		l.landlock.rules = b.landlockRules()
	} else {
		l.landlock.rules = b.landlockRulesShared()
	}
	for i := range l.landlock.rules {
		w := &l.landlock.rules[i]
		attr := b.Data(program.Raw(w.rights & rights))
		b.Space(8)
		b.open(w).StoreAt(attr.Plus(8))
		b.Do(sys.LandlockAddRule(l.landlock.fd.Result(), 1, attr)).For(w.path)
	}
}

// landlockRules follow from the view.
func (b *build) landlockRules() []rule {
	v := b.View
	anonymous := unix.O_TMPFILE | unix.O_WRONLY | unix.O_CLOEXEC
	w := []rule{
		{path: "/", rights: rightsRead, flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC},
		{path: "/dev", rights: rightsDev, flags: unix.O_WRONLY | unix.O_CLOEXEC},
	}
	for i := range v.Private {
		// The others of them only carry what is mounted in them.
		if n := &v.Private[i]; n.Mode&0o200 != 0 && n.Path != "/dev" {
			w = append(w, rule{path: n.Path, rights: rightsPrivate, private: true})
		}
	}
	for i := range v.Nodes {
		switch n := &v.Nodes[i]; {
		case n.Kind != view.Bind || !n.Write || n.Device:
		case n.Folder:
			w = append(w, rule{path: n.Path, rights: rightsWrite, flags: anonymous})
		default:
			w = append(w, rule{path: n.Path, rights: rightsFile, flags: unix.O_WRONLY | unix.O_CLOEXEC})
		}
	}
	return needed(w)
}

// needed leaves out the rules that give nothing: what lies below a folder has the folder's rights, through mounts too.
func needed(all []rule) []rule {
	var w []rule
	for i := range all {
		given := false
		for j := range all {
			above := all[i].path != all[j].path && isBelow(all[i].path, all[j].path)
			given = given || above && all[i].rights&^all[j].rights == 0
		}
		if !given {
			w = append(w, all[i])
		}
	}
	return w
}

func (r *landlockRuleset) check(c *check) {
	for i := range c.launch.landlock.rules {
		w := &c.launch.landlock.rules[i]
		if w.node == nil {
			continue
		}
		if c.Value(w.opened) <= fdTrees { // not a descriptor of its own
			c.refuse("open", w.path, mismatch{"a descriptor", c.result(w.opened)})
		}
		if got := c.stat(w.looked); got.dev != w.node.Dev || got.ino != w.node.Ino {
			c.refuse("open", w.path, mismatch{"what was looked at", "another"})
		}
	}
}

// landlockRestrict applies the ruleset to the server's process. Only that is restricted: init still has to signal it.
type landlockRestrict struct {
	file, signal [2]program.Op
	writes       []refusedWrite
}

func (r *landlockRestrict) ops(b *build) {
	l := &b.launch.landlock
	if b.lacksLandlock(b.launch) {
		return
	}
	for i := range l.rules {
		l.rules[i].before = b.tryRule(&l.rules[i], 0)
	}
	r.writes = b.askWrites()
	r.file[0] = b.Ask(sys.Openat(sys.FD(fdCanary), CanaryFile, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	if b.Machine.LandlockABI >= scopesABI {
		r.signal[0] = b.signalInit()
	}
	b.Do(sys.LandlockRestrictSelf(l.fd.Result()))
	r.file[1] = b.Observe(sys.Openat(sys.FD(fdCanary), CanaryFile, unix.O_RDONLY|unix.O_CLOEXEC, 0))
	if b.Machine.LandlockABI >= scopesABI {
		r.signal[1] = b.signalInit()
	}
	b.tryWrites(r.writes)
	for i := range l.rules {
		l.rules[i].after = b.tryRule(&l.rules[i], 1)
	}
}

// tryRule tries a rule: a file made in a private folder, which asks for more than /dev gives to /dev/shm; elsewhere an open
// that leaves nothing behind.
func (b *build) tryRule(w *rule, when int) program.Op {
	path := w.path
	if w.private {
		file := path + "/.trial"
		made := b.Observe(sys.Mknodat(sys.CWD, file, unix.S_IFREG|0o600, 0))
		w.removed[when] = b.Observe(sys.Unlinkat(sys.CWD, file, 0))
		return made
	}
	if path == "/dev" {
		path = "/dev/null"
	}
	return b.Observe(sys.Openat(sys.CWD, path, w.flags, 0o600))
}

func (r *landlockRestrict) check(c *check) {
	abi := c.Machine.LandlockABI
	if c.lacksLandlock(c.launch) {
		c.layer.State = order.Absent
		c.layer.Reason = "Landlock of this kernel (ABI " + strconv.Itoa(abi) + ") lets no file be renamed across folders"
		if abi == 0 {
			c.layer.Reason = c.Machine.withoutLandlock()
		}
		c.layer.Effect = "the mounts alone decide what can be read and written; abstract sockets end at the network namespace"
		return
	}
	c.fact("open of a file without a rule before", "opened", c.opened(r.file[0]))
	c.fact("open of a file without a rule", "EACCES", c.opened(r.file[1]))
	switch {
	case abi >= scopesABI:
		c.fact("signal to init before", "0", c.result(r.signal[0]))
		c.fact("signal to init", "EPERM", c.result(r.signal[1]))
	case c.launch.is(full):
		c.lacks("scope of signals and abstract sockets", "the sandbox", "Landlock ABI "+strconv.Itoa(abi)+" has no scopes", "the pid and network namespaces alone bound them")
	}
	if c.launch.is(reduced) {
		c.olderLandlock()
	}
	c.refusedWrites(r.writes)
	for i := range c.launch.landlock.rules {
		w := &c.launch.landlock.rules[i]
		if w.private {
			c.fact("make a file in "+w.path, "0, removed 0", c.result(w.after)+", removed "+c.result(w.removed[1]))
			c.fact("make a file in "+w.path+" before", "0, removed 0", c.result(w.before)+", removed "+c.result(w.removed[0]))
			continue
		}
		gives := choose(w.rights&^uint64(rightsRead) == 0, "read ", "write ")
		if w.reading() && gives != "read " {
			c.refuse("rule", w.path, mismatch{"a right to read", "a right to write"})
		}
		c.fact(gives+w.path, c.opened(w.before), c.opened(w.after))
	}
}
