package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// A wanted mount. deep is for what may have mounts of the host below it, which must be no freer than itself.
type wanted struct {
	path    string
	options string // comma separated, all of them demanded
	fs      string // demanded if not empty
	dev     string // the same
	deep    bool
	seen    bool
	got     string // the flags that were found, once it was seen
}

const (
	asFrozen  = "ro,nosuid,nodev"
	asWritten = "nosuid,nodev"
	asDevice  = "nosuid,noexec"
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

// wanted lists the mounts in the order they were made. Of several on one path each is found by its own.
func (c *check) wanted() []wanted {
	v := c.View
	w := make([]wanted, 0, len(v.Nodes)+len(v.Covers)+8)
	w = append(w, wanted{path: "/", options: asFrozen, fs: "tmpfs"})
	if v.HostRoot {
		w[0].fs, w[0].deep = "", true
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
		w = append(w, wanted{path: v.Private[i].Path, options: asFresh, fs: "tmpfs"})
	}
	if c.procMounted() {
		w = append(w, wanted{path: "/proc", options: asProc, fs: "proc", dev: c.procDev()})
		if c.masksKeys() {
			w = append(w, wanted{path: procKeys, options: asFrozen, fs: "tmpfs"})
		}
	}
	w = append(w, wanted{path: "/dev/pts", options: asPts, fs: "devpts"})
	for i := range v.Covers {
		w = append(w, coverMount(&v.Covers[i]))
	}
	return w
}

// coverMount is the mount that a cover has to be.
func coverMount(k *view.Cover) wanted {
	w := wanted{path: k.Path, options: asFrozen, deep: k.Kind != view.Deny}
	switch k.Kind {
	case view.Pin:
		w.options = asWritten
	case view.Deny:
		w.fs = "tmpfs"
	}
	return w
}

// match finds the demand that a mount has to meet: one on its own path that it meets and no other mount has met yet, else
// the nearest that may have mounts of the host at its path or below. That every demand is met in the end is for the facts.
func match(want []wanted, m *platform.Mount) *wanted {
	var near, own *wanted
	for i := range want {
		w := &want[i]
		switch {
		case w.path == m.Path && !w.seen && w.met(m):
			return w
		case w.deep && (w.path == m.Path || below(m.Path, w.path)):
			if near == nil || len(w.path) >= len(near.path) {
				near = w
			}
		case w.path == m.Path:
			own = w
		}
	}
	if near == nil {
		return own
	}
	return near
}

func (w *wanted) met(m *platform.Mount) bool {
	return hasAll(m, w.options) && (w.fs == "" || m.Type == w.fs) && (w.dev == "" || m.Dev == w.dev)
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
