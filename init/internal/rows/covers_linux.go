package rows

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/internal/program/sys"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
)

// masks lays what hides, freezes or pins parts of a grant over it. A folder that is a mount point cannot be renamed
// (EBUSY), so a path that goes through pinned folders leads to what is mounted at its end for as long as the sandbox lives.
type masks struct{ noFacts }

func (r *masks) ops(b *build) {
	denied := b.denyMasks
	for i := range b.View.Covers {
		k := &b.View.Covers[i]
		path := k.Path[1:]
		var tree program.Arg
		switch k.Kind {
		case view.Pin:
			tree = b.copyOf(path)
			b.place(tree, 0, path)
		case view.ReadOnly:
			tree = b.copyOf(path)
			b.place(tree, attrReadOnly, path)
		case view.Deny:
			tree, denied = denied[0], denied[1:]
			b.place(tree, attrReadOnly, path)
		}
		b.Call(sys.Close(tree)) // there may be more covers than a launcher may have descriptors
	}
}
