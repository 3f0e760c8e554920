package fsview

import "math"

// Where pipes are looked for: maxPiped folders in all, of protected ones only pipedDepth deep, for a .git has hundreds.
const (
	maxPiped   = 256
	pipedDepth = 1
)

// denyPipes denies the named pipes in read-only folders. A read-only mount does not prevent writing to a pipe, fifo(7),
// and below a write grant no rule of Landlock does.
func (g *grants) denyPipes() {
	if g.request.Shared {
		return
	}
	left := maxPiped
	for i := range g.denied {
		if r := &g.denied[i]; r.flag == noWrite {
			g.denyPipesIn(r.path, maxPiped, &left)
		}
	}
	for _, path := range g.view.Protected {
		g.denyPipesIn(path, pipedDepth, &left)
	}
}

// denyPipesIn looks into a folder and folders below it to some depth, as long as any folders are left.
func (g *grants) denyPipesIn(root string, deep int, left *int) {
	p := g.points[root]
	if p == nil || !g.points.access(root).read {
		return
	}
	if p.entry.is(typeFIFO) || p.entry.is(typeSocket) {
		p.flags |= noRead
	}
	if !p.entry.is(typeFolder) {
		return
	}
	w := walk{lookups: &g.lookups, folders: []string{root}, left: math.MaxInt}
	for depth := 0; depth <= deep; depth++ {
		level := w.folders
		w.folders = nil
		for _, folder := range level {
			if *left--; *left < 0 {
				return
			}
			// In a folder that cannot be listed the server cannot open files either.
			_ = w.list(folder, typeFIFO, func(path string, e *entry, err error) bool {
				if err == nil && !g.points.access(path).write {
					g.points.allow(path, *e, noRead)
				}
				return true
			})
		}
	}
}
