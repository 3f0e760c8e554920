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
	beginnings := []string{"//", "/*"}
	if syntax == mcphosts.TOML || syntax == mcphosts.YAML {
		beginnings = []string{"#"}
	}
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
	at := 0
	for _, t := range taken {
		for at < t.start {
			c, found := comment(file[:t.start], at, beginnings)
			if !found {
				break
			}
			all, at = append(all, c), c.end
		}
		at = max(at, t.end)
	}
	return all
}

// comment is the text of the next comment, without what it begins and ends with.
func comment(file []byte, from int, beginnings []string) (next span, found bool) {
	for _, begins := range beginnings {
		at := bytes.Index(file[from:], []byte(begins))
		if at < 0 || found && next.start < from+at {
			continue
		}
		next, found = span{from + at + len(begins), len(file)}, true
		ends := "\n"
		if begins == "/*" {
			ends = "*/"
		}
		if length := bytes.Index(file[next.start:], []byte(ends)); length >= 0 {
			next.end = next.start + length
		}
		if bytes.HasSuffix(file[next.start:next.end], []byte("\r")) {
			next.end--
		}
	}
	return next, found
}
