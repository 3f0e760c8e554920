package cgroup

// Foresee is the group that [Make] would make, as far as reading shows: the name differs, and the kernel may refuse a
// write that the modes of the files allow.
func Foresee(r *Request) *Group {
	g := &Group{Settings: r.Settings}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, _, err := ownGroup()
	if err != nil {
		g.Reason = err.Error()
		return g
	}
	for _, parent := range ancestors(place, own) {
		n, err := usableControllers(parent.dir, controllers(r.Settings))
		if err != nil || n == 0 {
			g.Reason = errNone.Error()
			continue
		}
		name := "/" + prefix + "NAME"
		if r.Root {
			name += "/server"
		}
		return &Group{Settings: r.Settings, Dir: parent.dir + name, Path: parent.path + name, server: &folder{fd: -1}}
	}
	return g
}
