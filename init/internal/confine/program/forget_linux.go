package program

import "golang.org/x/sys/unix"

// Forget gives back the memory of the Ops and data between two places, but for one Op: of whole pages, which then are
// zero for every process that has them. It forgets what the Ops are for.
func Forget(p *Program, from, to Place, kept Op) {
	p.metas, p.data.spans = nil, nil
	at := kept.offset()
	for _, part := range [...][2]int{{from.ops, at}, {at + opSize, to.ops}, {from.data, to.data}} {
		if first, end := whole(part[0]), part[1]&^(page-1); first < end {
			_ = unix.Madvise(p.mem[first:end], unix.MADV_REMOVE) // the memory goes at the end all the same
		}
	}
}
