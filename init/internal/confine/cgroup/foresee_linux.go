package cgroup

// Foresee is the group that [Make] would make, as far as reading shows: the name differs, and the kernel may refuse a
// write that the modes of the files allow.
func Foresee(r *Request) *Group {
	g := &Group{Settings: r.Settings}
	if len(r.Settings) == 0 {
		return g
	}
	place, own, _, err := ownGroup(0)
	if err == nil {
		all := ancestors(place, own)
		err = eachParent(all, controllers(r.Settings), func(i int, _ bool) error {
			name := "/" + prefix + "NAME"
			if r.Root {
				name += "/server"
			}
			g.Dir, g.Path, g.server = all[i].dir+name, all[i].path+name, &folder{fd: -1}
			return nil
		})
	}
	if err != nil {
		g.Reason = err.Error()
	}
	return g
}
