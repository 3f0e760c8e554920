package fsview

// outside finds something that the host has and the server has not: the proof of the root looks for it.
func (p *planner) outside() {
	for _, path := range [...]string{"/boot", "/var", "/srv", "/opt", "/root", "/home", "/media", "/mnt", "/sys/kernel", "/sys/fs"} {
		if p.points.access(path).read || p.exists(path, private|folder|link|file) {
			continue
		}
		if _, err := statx(path); err == nil {
			p.v.Outside = path
			return
		}
	}
}
