package rows

import "github.com/security-mcp/mcp-sandbox/init/internal/view"

// covers lays what hides, freezes or pins parts of a grant over it. A folder that is a mount point cannot be renamed
// (EBUSY), so a path that goes through pinned folders leads to what is mounted at its end for as long as the sandbox lives.
type covers struct{ noFacts }

func (r *covers) ops(b *build) {
	denied := b.covers
	for i := range b.View.Covers {
		k := &b.View.Covers[i]
		path := k.Path[1:]
		switch k.Kind {
		case view.Pin:
			b.place(b.copyOf(path), 0, path)
		case view.ReadOnly:
			b.place(b.copyOf(path), frozen, path)
		case view.Deny:
			b.place(denied[0], frozen, path)
			denied = denied[1:]
		}
	}
}
