package cgroup

// Foresee is the group that [Make] would make, as far as that can be told without dividing anything: its name is another,
// and the kernel may refuse what its files allow.
func Foresee(r *Request) *Group {
	g := &Group{Settings: r.Settings}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, _, err := here()
	if err != nil {
		g.Reason = err.Error()
		return g
	}
	dirs, paths := ancestors(place, own)
	for i := range dirs {
		n, err := divisible(dirs[i], controllers(r.Settings))
		if err != nil || n == 0 {
			g.Reason = errNone.Error()
			continue
		}
		name := "/" + prefix + "NAME"
		if r.Root {
			name += "/server"
		}
		return &Group{Settings: r.Settings, Dir: dirs[i] + name, Path: paths[i] + name, server: &folder{fd: -1}}
	}
	return g
}
