package cgroup

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// A Request is a launch's order of a group.
type Request struct {
	Settings []Setting
	// Own lists this process and its descendants, which may be moved to another group together. Own is called only
	// where this process's group has to enable controllers.
	Own func() []int
	PID int // one of those; 0: this process
	// Scope, if not nil, asks systemd for a delegated group and moves the processes there.
	Scope func(pids []int) error
	// Root says that init runs with these ids, which must be able to clone the server into its group.
	Root     bool
	UID, GID int
}

// A Group is the control group of one server. Path and Dir are empty where there is no group; then Reason says why,
// unless no setting was asked for.
type Group struct {
	Path     string // as /proc/PID/cgroup shows it to this process
	Dir      string // its folder
	Settings []Setting
	Reason   string

	parent *folder
	top    *folder // the locked group below parent
	server *folder // the server's group: top, or a group below top
	init   *folder // the group that init is born in; nil: this process's group
	shim   *folder // the group below parent that this process moved into; nil: this process stayed
	pid    int     // of the process that moved in place of this one; 0: none
}

// Made reports whether the server has a group.
func (g *Group) Made() bool { return g != nil && g.server != nil }

// settingIndex is the index of the setting that was written to a file, or -1.
func settingIndex(list []Setting, file string) int {
	return slices.IndexFunc(list, func(s Setting) bool { return s.File == file && s.Reason == "" })
}

// Holds reports whether a file of the group limits the server.
func (g *Group) Holds(file string) bool { return g.Made() && settingIndex(g.Settings, file) >= 0 }

// Limit is the number in a file that limits the server, or 0.
func (g *Group) Limit(file string) int64 {
	if !g.Holds(file) {
		return 0
	}
	n, _ := strconv.ParseInt(g.Settings[settingIndex(g.Settings, file)].Value, 10, 64)
	return n
}

// Init is a descriptor of the group that init is born in, or -1 for this process's group.
func (g *Group) Init() int {
	if g == nil || g.init == nil {
		return -1
	}
	return g.init.fd
}

// Readings are the contents of a group's files.
type Readings struct {
	Members string   // process ids with spaces between
	Values  []string // one for each of the group's settings; "" for an absent setting
}

// ReadBack reads the group's processes and settings from the kernel. Without a group there are no readings.
func (g *Group) ReadBack() (r Readings, err error) {
	if !g.Made() {
		return r, nil
	}
	members, err := g.server.read("cgroup.procs")
	if err != nil {
		return r, &os.PathError{Op: "read", Path: g.Dir + "/cgroup.procs", Err: err}
	}
	r.Members = strings.Join(strings.Fields(members), " ")
	r.Values = make([]string, len(g.Settings))
	for i := range g.Settings {
		s := &g.Settings[i]
		if s.Reason != "" {
			continue
		}
		text, err := g.server.read(s.File)
		if err != nil {
			return r, &os.PathError{Op: "read", Path: g.Dir + "/" + s.File, Err: err}
		}
		r.Values[i] = s.shown(text)
	}
	return r, nil
}

// shown is a setting's part of a file: the whole text, or the line of the setting's device.
func (s *Setting) shown(text string) string {
	if s.Device == "" {
		return text
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, s.Device+" ") {
			return strings.TrimSuffix(line, "\n")
		}
	}
	return ""
}
