package rows

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// A wanted mount. deep is for what may have mounts of the host below it, which must be no freer than itself. pin is for what
// was bound onto itself with all that was mounted below it by then, so that this is there once more.
type wanted struct {
	path    string
	options string // comma separated, all of them demanded
	fs      string // demanded if not empty
	dev     string // the same
	root    string // the same: what of its file system
	deep    bool
	pin     bool
	seen    bool
	got     string // the flags that were found, once it was seen
}

const (
	asFrozen  = "ro,nosuid,nodev"
	asWritten = "nosuid,nodev"
	asDevice  = "ro,nosuid,noexec" // a device can be written to all the same, and its mode cannot
	// What was made fresh says rw too: with filesystem.default "read" the host's own, made read-only, lies below it.
	asFresh = "rw,nosuid,nodev"
	asPts   = "rw,nosuid,noexec"
	asProc  = "ro,nosuid,nodev,noexec"
)

// mounts compares init's table of mounts, as the kernel printed it for the shim, with what the view asked for: every
// mount has to be there with its flags, none may be there that nobody asked for, and none may be shared.
func (c *check) mounts() {
	want := c.wanted()
	for i := range c.Mounts {
		m := &c.Mounts[i]
		w := match(want, m)
		if w == nil {
			c.refuse("mountinfo", m.Path, mismatch{"no such mount", m.Type + " " + m.Options})
			return
		}
		if m.Propagation != "" {
			c.refuse("mountinfo", m.Path, mismatch{"a private mount", m.Propagation})
		}
		if !w.met(m) {
			c.refuse("mountinfo", m.Path, mismatch{w.fs + " " + w.options, m.Type + " " + m.Options})
		}
		if m.Path == w.path {
			w.seen, w.got = true, flagsOf(m)
		}
	}
	for i := range want {
		w := &want[i]
		c.shown(w.seen, "mount "+w.path, w.options, w.got)
	}
	c.freshProc()
}

// flagsOf are the flags of a mount that decide what can be done with it, as the kernel printed them.
func flagsOf(m *platform.Mount) string {
	got := ""
	for _, f := range [...]string{"ro", "rw", "nosuid", "nodev", "noexec"} {
		if m.Has(f) {
			got += "," + f
		}
	}
	return got[min(1, len(got)):]
}

// own are the file systems that were made for the sandbox, by device: its root's, the private folders', its terminals' and
// its /proc.
type own struct{ root, scratch, pts, proc string }

// has reports whether a device is one of them.
func (o own) has(dev uint64) bool {
	name := devName(dev)
	return name == o.root || name == o.scratch || name == o.pts || name == o.proc
}

// wanted lists the mounts in the order they were made. Of several on one path each is found by its own.
func (c *check) wanted() []wanted {
	v := c.View
	w := make([]wanted, 0, len(v.Nodes)+len(v.Covers)+8)
	w = append(w, wanted{path: "/", options: asFrozen, fs: "tmpfs", root: "/", dev: c.own.root})
	if v.HostRoot {
		w[0] = wanted{path: "/", options: asFrozen, deep: true}
	}
	for i := range v.Nodes {
		n := &v.Nodes[i]
		if n.Kind != view.Bind {
			continue
		}
		x := wanted{path: n.Path, options: asFrozen, deep: true}
		if n.Device {
			x.options = asDevice
		} else if n.Write {
			x.options = asWritten
		}
		w = append(w, x)
	}
	for i := range v.Private {
		w = append(w, wanted{path: v.Private[i].Path, options: asFresh, fs: "tmpfs", dev: c.own.scratch, root: "/" + strconv.Itoa(i)})
	}
	if c.procMounted() {
		w = append(w, wanted{path: "/proc", options: asProc, fs: "proc", dev: c.own.proc, root: "/"})
		if c.masksKeys() {
			w = append(w, wanted{path: procKeys, options: asFrozen, fs: "tmpfs", dev: c.own.scratch, root: "/" + deniedFile})
		}
	}
	w = append(w, wanted{path: ptsPath, options: asPts, fs: "devpts", dev: c.own.pts, root: "/"})
	for i := range v.Covers {
		x := coverMount(&v.Covers[i])
		if v.Covers[i].Kind == view.Deny {
			x.dev, x.root = c.own.scratch, "/"+map2(v.Covers[i].Folder, deniedFolder, deniedFile)
		}
		w = append(w, x)
	}
	return w
}

// coverMount is the mount that a cover has to be.
func coverMount(k *view.Cover) wanted {
	w := wanted{path: k.Path, options: asFrozen, deep: k.Kind != view.Deny}
	switch k.Kind {
	case view.Pin:
		w.options, w.pin = asWritten, true
	case view.Deny:
		w.fs = "tmpfs"
	}
	return w
}

// match finds the demand that a mount has to meet: one on its own path that it meets and no other mount has met yet, or if
// a folder above is pinned one that another mount has met, else the nearest that may have mounts of the host below it. That
// every demand is met in the end is for the facts.
func match(want []wanted, m *platform.Mount) *wanted {
	var near, own, again *wanted
	pinned := false
	for i := range want {
		w := &want[i]
		pinned = pinned || w.pin && below(m.Path, w.path)
		switch {
		case w.path == m.Path && !w.seen && w.met(m):
			return w
		case w.deep && below(m.Path, w.path):
			if near == nil || len(w.path) >= len(near.path) {
				near = w
			}
		case w.path == m.Path:
			if own == nil || w.deep {
				own = w
			}
			if w.met(m) {
				again = w
			}
		}
	}
	if pinned && again != nil {
		return again
	}
	if near == nil && own != nil && own.seen { // a second one, which nobody asked for
		return nil
	}
	if near == nil || own != nil && own.deep {
		return own
	}
	return near
}

func (w *wanted) met(m *platform.Mount) bool {
	return hasAll(m, w.options) && (w.fs == "" || m.Type == w.fs) && (w.dev == "" || m.Dev == w.dev) && (w.root == "" || m.Root == w.root)
}

func hasAll(m *platform.Mount, options string) bool {
	for start, i := 0, 0; i <= len(options); i++ {
		if i == len(options) || options[i] == ',' {
			if !m.Has(options[start:i]) {
				return false
			}
			start = i + 1
		}
	}
	return true
}
