package fsview

import "golang.org/x/sys/unix"

// Where pipes are looked for: maxPiped folders in all, of protected ones only pipedDepth deep, for a .git has hundreds.
const (
	maxPiped   = 256
	pipedDepth = 1
)

// pipes denies the named pipes in what is read-only. A mount keeps nobody from writing to a pipe, fifo(7), and below a
// write grant no rule of Landlock does.
func (p *planner) pipes() error {
	if p.r.Shared {
		return nil
	}
	left := maxPiped
	for i := range p.denials {
		if d := &p.denials[i]; d.flag == noWrite {
			p.pipesIn(d.path, maxPiped, &left)
		}
	}
	for _, path := range p.v.Protected {
		p.pipesIn(path, pipedDepth, &left)
	}
	return nil
}

func (p *planner) pipesIn(root string, deep int, left *int) {
	pt := p.points[root]
	if pt == nil || !p.points.access(root).read {
		return
	}
	if pt.entry.is(typeFIFO) || pt.entry.is(typeSocket) {
		pt.flags |= noRead
	}
	level := []string{root}
	if !pt.entry.is(typeFolder) {
		level = nil
	}
	for depth := 0; depth <= deep && len(level) > 0; depth++ {
		var next []string
		for _, folder := range level {
			if *left--; *left < 0 {
				return
			}
			_ = p.host.list(folder, func(name []byte, kind byte) bool { // what cannot be listed is not the server's to open
				path := join(folder, string(name))
				switch kind {
				case unix.DT_DIR:
					next = append(next, path)
				case unix.DT_FIFO:
					if e, err := statx(path); err == nil && !p.points.access(path).write {
						p.points.allow(path, e, noRead)
					}
				}
				return true
			})
		}
		level = next
	}
}
