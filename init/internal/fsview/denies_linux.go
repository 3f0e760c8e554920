package fsview

import "os"

// A denial is one path of denyRead or denyWrite.
type denial struct {
	resolved
	key  string
	flag flag
}

// deny adds what the policy denies, and settles what remained of the grants.
func (p *planner) deny() error {
	fs := &p.r.Policy.Filesystem
	found := make([]denial, 0, len(fs.DenyRead)+len(fs.DenyWrite))
	for _, d := range fs.DenyRead {
		if err := p.denied(&found, "denyRead", d, noRead); err != nil {
			return err
		}
	}
	for _, d := range fs.DenyWrite {
		if err := p.denied(&found, "denyWrite", d, noWrite); err != nil {
			return err
		}
	}
	for i := range found {
		d := &found[i]
		p.points.allow(d.path, d.entry, d.flag)
		p.linked(d.key, d.path, &d.entry, d.flag == noRead)
		if d.flag == noRead && d.entry.is(typeFile) && d.entry.links > 1 && !p.written(d.path) && !p.r.Shared {
			p.warn(d.path + " has another name (a hard link): under that one it is not denied")
		}
	}
	p.denials = found
	return p.settle()
}

func (p *planner) denied(found *[]denial, key, given string, f flag) error {
	path, optional := optionalPath(given)
	if within(path, "/sys") {
		return nil // nobody sees it
	}
	r, err := p.host.resolve(path)
	if at, ok := p.serversLink(&r); ok { // also where it leads to nothing now
		err = &LinkError{Kind: ErrDenyLink, Link: at, Target: r.path}
	}
	switch {
	case err != nil && optional && missing(err):
		return nil
	case err != nil:
	case r.path == "/" && p.v.HostRoot && f == noRead:
		err = ErrSystem // the root itself cannot be covered
	}
	if err != nil {
		return &os.PathError{Op: key, Path: path, Err: err}
	}
	*found = append(*found, denial{r, key, f})
	return nil
}
