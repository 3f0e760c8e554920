package layers

import (
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock/syscall"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Rights of landlock(7), by the kind of path: folders that can be read, files that can be written, folders that
// can be written, private folders, and /dev. The kernel refuses a rule that gives a file a right of folders.
const (
	rightsRead  = syscall.AccessFSExecute | syscall.AccessFSReadFile | syscall.AccessFSReadDir
	rightsFile  = rightsReadFile | syscall.AccessFSWriteFile | syscall.AccessFSTruncate
	rightsWrite = rightsRead | rightsFile | syscall.AccessFSRemoveDir | syscall.AccessFSRemoveFile |
		syscall.AccessFSMakeDir | syscall.AccessFSMakeReg | syscall.AccessFSMakeSock | syscall.AccessFSMakeFifo |
		syscall.AccessFSMakeSym | syscall.AccessFSRefer
	rightsPrivate  = rightsWrite | syscall.AccessFSResolveUnix
	rightsSocket   = syscall.AccessFSResolveUnix
	rightsDev      = rightsDevice | syscall.AccessFSReadDir
	rightsReadFile = syscall.AccessFSExecute | syscall.AccessFSReadFile
	rightsDevice   = rightsFile | syscall.AccessFSIoctlDev

	scopes = syscall.ScopeAbstractUnixSocket | syscall.ScopeSignal
)

// Flags of the opens that try a rule. With O_TMPFILE a file without a name is made in the folder.
const (
	openFolder   = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC
	openUnnamed  = unix.O_TMPFILE | unix.O_WRONLY | unix.O_CLOEXEC
	openForWrite = unix.O_WRONLY | unix.O_CLOEXEC
)

// handled are the file rights that a version of Landlock knows, and the size of its struct landlock_ruleset_attr.
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

// landlockRules are the rules of a server with a root of its own: everything in the root can be read, and write
// grants can be written.
func landlockRules(v *fsview.View) []rule {
	w := []rule{
		{path: "/", rights: rightsRead, flags: openFolder},
		{path: "/dev", rights: rightsDev, flags: openForWrite},
	}
	for i := range v.Private {
		n := &v.Private[i]
		if n.Kind == fsview.Bind {
			w = append(w, stateRule(n, n.Path))
			continue
		}
		// A private folder without write permission only carries mounts.
		if n.Mode&0o200 != 0 && n.Path != "/dev" {
			w = append(w, rule{path: n.Path, rights: rightsPrivate, private: true})
		}
	}
	for i := range v.Nodes {
		switch n := &v.Nodes[i]; {
		case n.Socket:
			w = append(w, rule{path: n.Path, rights: rightsSocket, socket: true})
		case n.Kind == fsview.Bind && n.Write && !n.Device:
			w = append(w, nodeRule(n, n.Path))
		}
	}
	return needed(w)
}

// landlockRulesShared are the rules of a server in the host's root: no file can be opened without a rule. The paths
// are the host's, so the inode of each is compared with the one that fsview found.
func landlockRulesShared(v *fsview.View) []rule {
	w := []rule{{path: procPath, rights: rightsRead, flags: openFolder, refuses: timerSlack}}
	for i := range v.Private {
		// Opened below the descriptor of the folder around it: a process that can swap the path got no rights there.
		path := v.Private[i].Path
		name := path[strings.LastIndexByte(path, '/')+1:]
		w = append(w, rule{path: path, rights: rightsPrivate, private: true, name: name})
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		r := nodeRule(n, n.Source)
		if n.Source == v.State {
			r = stateRule(n, n.Source)
		}
		r.node = n
		if !n.Write && !n.Device {
			r.refuses = n.Source
		}
		w = append(w, r)
	}
	return needed(w)
}

// nodeRule gives a node's rights to its path.
func nodeRule(n *fsview.Node, path string) rule {
	switch {
	case n.Device:
		// Some devices refuse an open, as /dev/tty without a terminal; but in the same way with and without
		// Landlock.
		const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
		return rule{path: path, rights: rightsDevice, flags: flags}
	case n.Write && n.Folder:
		return rule{path: path, rights: rightsWrite, flags: openUnnamed}
	case n.Write:
		return rule{path: path, rights: rightsFile, flags: openForWrite}
	case n.Folder:
		return rule{path: path, rights: rightsRead, flags: openFolder}
	}
	return rule{path: path, rights: rightsReadFile, flags: unix.O_RDONLY | unix.O_CLOEXEC}
}

// stateRule gives the rights of a private folder. The rule is tried by a file without a name: the server may have taken
// every name, and other launches share the folder.
func stateRule(n *fsview.Node, path string) rule {
	r := nodeRule(n, path)
	r.rights = rightsPrivate
	return r
}

// needed leaves out the rules that give nothing: a path has the rights of every folder above it, through mounts too.
func needed(all []rule) []rule {
	var w []rule
	for i := range all {
		given := false
		for j := range all {
			above := all[i].path != all[j].path && policy.Below(all[i].path, all[j].path)
			given = given || above && all[i].rights&^all[j].rights == 0
		}
		if !given {
			w = append(w, all[i])
		}
	}
	return w
}

// A refusedWrite is an open for writing that Landlock must refuse. The refusal is a proof only where the user's own
// rights allow the open. faccessat2 checks these rights: an open without Landlock would look like a change to a watcher
// of the file (inotify(7)).
type refusedWrite struct {
	rule           *rule
	allowed, tried program.Op
}

// timerSlack can be opened for writing by every user; proc_pid_timerslack_ns(5).
const timerSlack = procPath + "/self/timerslack_ns"

// askWrites asks, without Landlock, whether the user may write.
func askWrites(b *build, rules []rule) (writes []refusedWrite) {
	for i := range rules {
		if w := &rules[i]; w.refuses != "" {
			allowed := b.Observe(sys.Faccessat2(sys.CWD, w.refuses, unix.W_OK, unix.AT_EACCESS))
			writes = append(writes, refusedWrite{rule: w, allowed: allowed})
		}
	}
	return writes
}

// tryWrites tries to write, with Landlock: to a file without a name in a folder, else to the file.
func tryWrites(b *build, writes []refusedWrite) {
	for i := range writes {
		w := &writes[i]
		flags := unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
		if n := w.rule.node; n != nil && n.Folder {
			flags |= unix.O_TMPFILE
		}
		w.tried = b.Observe(sys.Openat(sys.CWD, w.rule.refuses, flags, 0o600))
	}
}

// proveRefusedWrites demands that no file was opened, and that Landlock refused where the user may write.
func proveRefusedWrites(c *check, writes []refusedWrite) {
	for i := range writes {
		w := &writes[i]
		got := c.opened(w.tried)
		// The file system's answer before Landlock is asked: overlayfs before Linux 6.3 has no O_TMPFILE, or the
		// file is being executed.
		first := c.Errno(w.tried) == unix.EOPNOTSUPP || c.Errno(w.tried) == unix.ETXTBSY
		switch {
		case c.result(w.allowed) == "0" && !first:
			c.fact("write "+w.rule.path, "EACCES", got)
		case got == "opened":
			c.refuse("open", w.rule.path, mismatch{"EACCES", got})
		}
	}
}
