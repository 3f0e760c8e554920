package layers

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program/sys"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// An expectedMount is a mount that mountinfo has to list. A deep one may have mounts of the host below it, which must
// be no freer than itself. A pin was bound onto itself with all mounts below it, which are therefore listed twice.
type expectedMount struct {
	path    string
	options string // comma separated, all of them demanded
	fs      string // demanded if not empty
	super   string // the same: an option of the file system
	dev     string // the same
	root    string // the same: the path in its file system
	deep    bool
	pin     bool
	seen    bool
	got     string // the flags that were found, once it was seen
}

const (
	flagsReadOnly = "ro,nosuid,nodev"
	flagsWritable = "nosuid,nodev"
	flagsDevice   = "ro,nosuid,noexec" // ro keeps the mode of a device, and a device can be written to
	// A fresh mount says rw too: with filesystem.default "read" the host's own, made read-only, lies below it.
	flagsFresh = "rw,nosuid,nodev"
	flagsPts   = "rw,nosuid,noexec"
	flagsProc  = "ro,nosuid,nodev,noexec"
)

// sendMounts hands the shim a descriptor of init's table of mounts. By its path the shim does not come to that where
// the launcher's /proc hides processes (hidepid, proc(5)): init is not dumpable later. Init sees itself in its own
// /proc. The paths of a descriptor begin at the root that the process had at the open, so this comes behind pivot_root;
// the mounts are those of the moment of each read.
func sendMounts(b *build) {
	var none program.Label
	message, fd := carrier(b, MsgMounts, 1)
	table := b.Call(sys.Openat(sys.CWD, procPath+"/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0)).StoreAt(fd)
	b.BranchUnlessOK(&none) // no /proc of its own: the shim tries the path
	b.Step(sys.Sendmsg(sys.FD(fdReady), message, 0)).Returns(program.Int(len(MsgMounts)))
	b.Call(sys.Close(table.Result()))
	b.Bind(&none)
}

// proveMounts compares init's table of mounts, as the shim read it, with the view: every expected mount is listed
// with its flags, no other mount is, and none is shared.
func proveMounts(c *check, v *fsview.View, proc *procMount, fresh freshDevices) {
	want := expectedMounts(c, v, proc, fresh)
	for i := range c.Mounts {
		m := &c.Mounts[i]
		w := expected(want, m)
		if w == nil {
			c.refuse("mountinfo", m.Path, mismatch{"no such mount", m.Type + " " + m.Options})
			return
		}
		if m.Propagation != "" {
			c.refuse("mountinfo", m.Path, mismatch{"a private mount", m.Propagation})
		}
		if !w.satisfiedBy(m) {
			ours := m.Dev == fresh.private // a mask
			if !ours && isHidden(want[:len(want)-len(v.Covers)], c.Mounts, m) {
				continue
			}
			c.refuse("mountinfo", m.Path, mismatch{w.fs + " " + w.options, m.Type + " " + m.Options})
		}
		if m.Path == w.path {
			w.seen, w.got = true, flagsOf(m)
		}
	}
	for i := range want {
		w := &want[i]
		c.factIf(w.seen, "mount "+w.path, w.options, w.got)
	}
	for i := range v.Covers {
		k := &v.Covers[i]
		if w := coverExpected(k, fresh); k.Closed && !w.satisfiedBy(topmost(c.Mounts, k.Path)) {
			c.refuse("mountinfo", k.Path, mismatch{"the cover on top", "another mount"})
		}
	}
	proc.lacks(c)
}

// isHidden reports whether a mount of the host's that came along with a grant, and has the grant's flags, lies below
// another mount: at a path inside a cover, or below a second mount at its path. No path leads to it.
func isHidden(nodes []expectedMount, mounts []platform.Mount, m *platform.Mount) bool {
	var grant *expectedMount
	for i := range nodes {
		if w := &nodes[i]; w.deep && isBelow(m.Path, w.path) && (grant == nil || len(w.path) >= len(grant.path)) {
			grant = w
		}
	}
	return grant != nil && grant.satisfiedBy(m) && topmost(mounts, m.Path).ID != m.ID
}

// topmost is the mount to which a walk along a path comes, as the kernel walks: at each folder on into the mount there,
// and into a mount on that. Where nothing is mounted at the path the result satisfies no expectation.
func topmost(mounts []platform.Mount, path string) *platform.Mount {
	on := func(parent uint64, at string) *platform.Mount {
		for i := range mounts {
			if m := &mounts[i]; m.Parent == parent && m.Path == at && m.ID != parent {
				return m
			}
		}
		return nil
	}
	at := new(platform.Mount)
	for i := range mounts {
		if m := &mounts[i]; m.Path == "/" { // the first is the lowest
			at = m
			break
		}
	}
	for end := 0; end <= len(path); end++ {
		if end > 0 && end < len(path) && path[end] != '/' {
			continue
		}
		for m := on(at.ID, path[:max(end, 1)]); m != nil; m = on(at.ID, path[:max(end, 1)]) {
			at = m
		}
	}
	if at.Path != path {
		return new(platform.Mount)
	}
	return at
}

// flagsOf are the flags of a mount that bound its use.
func flagsOf(m *platform.Mount) string {
	got := ""
	for _, f := range [...]string{"ro", "rw", "nosuid", "nodev", "noexec"} {
		if m.Has(f) {
			got += "," + f
		}
	}
	return got[min(1, len(got)):]
}

// expectedMounts lists the mounts in the order in which they were made.
func expectedMounts(c *check, v *fsview.View, proc *procMount, fresh freshDevices) []expectedMount {
	w := make([]expectedMount, 0, len(v.Nodes)+len(v.Covers)+8)
	w = append(w, expectedMount{path: "/", options: flagsReadOnly, fs: "tmpfs", root: "/", dev: fresh.root})
	if v.HostRoot {
		w[0] = expectedMount{path: "/", options: flagsReadOnly, deep: true}
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.Kind != fsview.Bind {
			continue
		}
		x := expectedMount{path: n.Path, options: flagsReadOnly, deep: true}
		if n.Device {
			x.options = flagsDevice
		} else if n.Write {
			x.options = flagsWritable
		}
		w = append(w, x)
	}
	private := expectedMount{fs: "tmpfs", dev: fresh.private}
	for i := range v.Private {
		if v.Private[i].Kind == fsview.Bind { // a state's folder, with no mount in it but those of the nodes
			w = append(w, expectedMount{path: v.Private[i].Path, options: flagsFresh})
			continue
		}
		private.path, private.options, private.root = v.Private[i].Path, flagsFresh, "/"+strconv.Itoa(i)
		w = append(w, private)
	}
	if proc.mounted(c) {
		w = append(w, expectedMount{path: procPath, options: flagsProc, fs: "proc", dev: fresh.proc, root: "/"})
		if c.succeeded(proc.keys) {
			private.path, private.options, private.root = procKeys, flagsReadOnly, "/"+maskFile
			w = append(w, private)
		}
	}
	pts := expectedMount{path: ptsPath, options: flagsPts, fs: "devpts", super: ptsMost, dev: fresh.pts, root: "/"}
	w = append(w, pts)
	for i := range v.Covers {
		w = append(w, coverExpected(&v.Covers[i], fresh))
	}
	return w
}

// coverExpected is the mount of a cover that was laid at the start.
func coverExpected(k *fsview.Cover, fresh freshDevices) expectedMount {
	x := coverMount(k)
	if k.Kind == fsview.Deny {
		x.dev, x.root = fresh.private, "/"+maskName(k.Folder)
	}
	return x
}

// expected finds the expectation for a mount: a satisfied one of the mount's path, not matched before; below a
// pin also one that another mount matched; else that of the nearest path above that may have mounts of the
// host below. The facts demand that every expectation was matched.
func expected(want []expectedMount, m *platform.Mount) *expectedMount {
	var near, own, again *expectedMount
	pinned := false
	for i := range want {
		w := &want[i]
		pinned = pinned || w.pin && isBelow(m.Path, w.path)
		switch {
		case w.path == m.Path && !w.seen && w.satisfiedBy(m):
			return w
		case w.deep && isBelow(m.Path, w.path):
			if near == nil || len(w.path) >= len(near.path) {
				near = w
			}
		case w.path == m.Path:
			if own == nil || w.deep {
				own = w
			}
			if w.satisfiedBy(m) {
				again = w
			}
		}
	}
	if pinned && again != nil {
		return again
	}
	if near == nil && own != nil && own.seen { // a second mount, which was not expected
		return nil
	}
	if near == nil || own != nil && own.deep {
		return own
	}
	return near
}

func (w *expectedMount) satisfiedBy(m *platform.Mount) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	super := w.super == "" || m.HasSuper(w.super)
	return super && hasOptions(m, w.options) && is(w.fs, m.Type) && is(w.dev, m.Dev) && is(w.root, m.Root)
}

// isBelow reports whether a mount lies below a path, or is a second one at the root.
func isBelow(mount, at string) bool { return policy.Below(mount, at) || mount == "/" && at == "/" }
