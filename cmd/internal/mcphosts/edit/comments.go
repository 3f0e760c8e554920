package edit

import (
	"bytes"
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// A span is where bytes of a file begin and end.
type span struct{ start, end int }

// comments are the texts of the comments: of all that begins as one outside of keys and values. A value without a known
// end can have text that is taken for one.
func comments(file []byte, syntax mcphosts.Syntax, root *node) (all []span) {
	taken := []span{{len(file), len(file)}}
	root.each(false, func(n *node, _ bool) {
		if n.kind <= text && n.end != unknown {
			taken = append(taken, span{n.start, n.end})
		}
		for _, m := range n.members {
			if m.stop != unknown {
				taken = append(taken, span{m.start, m.stop})
			}
		}
	})
	slices.SortFunc(taken, func(a, b span) int { return a.start - b.start })
	hash := syntax == mcphosts.TOML || syntax == mcphosts.YAML
	at := 0
	for _, t := range taken {
		for ; at < t.start; at++ {
			begins, ends := opening(file[at:t.start], hash)
			if begins == 0 {
				continue
			}
			c := span{at + begins, t.start}
			if length := bytes.Index(file[c.start:t.start], []byte(ends)); length >= 0 {
				c.end = c.start + length
			}
			if at = c.end; bytes.HasSuffix(file[c.start:c.end], []byte("\r")) {
				c.end--
			}
			all = append(all, c)
		}
		at = max(at, t.end)
	}
	return all
}

// opening is how long the beginning of a comment is, 0 if there is none, and what the comment ends with.
func opening(file []byte, hash bool) (begins int, ends string) {
	switch {
	case hash && file[0] == '#':
		return 1, "\n"
	case !hash && bytes.HasPrefix(file, []byte("//")):
		return 2, "\n"
	case !hash && bytes.HasPrefix(file, []byte("/*")):
		return 2, "*/"
	}
	return 0, ""
}
