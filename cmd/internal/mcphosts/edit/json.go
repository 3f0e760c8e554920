package edit

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/tailscale/hujson"
)

func parseJSON(file []byte, strict bool) (*node, error) {
	if loneReturn(file) {
		return nil, errEnds
	}
	file = append(bytes.Clone(file), '\n') // the parser does not take the end of a file for that of a // comment
	v, err := hujson.Parse(file)
	if err != nil && !strict && commented(file) {
		return &node{kind: table}, nil
	} else if err != nil {
		// What the parser calls a literal may be a password.
		message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "hujson: "), " literal: ")
		return nil, errors.New(message)
	}
	if strict && !v.IsStandard() {
		return nil, errors.New("a comment or a comma after the last item, which this host does not read")
	}
	root := jsonNode(&v)
	for _, c := range comments(file, mcphosts.JSONC, root) {
		if file[c.start-1] == '*' && isFilled(string(file[c.start:c.end])) { // before the host looks for comments
			return nil, errors.New("a comment has {env:NAME} or {file:PATH}: what opencode puts there may end it")
		}
	}
	return root, nil
}

// commented reports whether there is nothing but comments in a file: an empty one, for the hosts that read comments.
func commented(file []byte) bool {
	v, err := hujson.Parse(slices.Concat([]byte("["), file, []byte("]")))
	if err != nil {
		return false
	}
	all, ok := v.Value.(*hujson.Array)
	return ok && len(all.Elements) == 0
}

func jsonNode(v *hujson.Value) *node {
	n := &node{start: v.StartOffset, end: v.EndOffset}
	switch x := v.Value.(type) {
	case *hujson.Object:
		n.kind = table
		for i := range x.Members {
			name := &x.Members[i].Name
			n.add(member{name: name.Value.(hujson.Literal).String(), start: name.StartOffset, last: name.StartOffset,
				stop: name.EndOffset, value: jsonNode(&x.Members[i].Value)})
		}
	case *hujson.Array:
		n.kind = list
		for i := range x.Elements {
			n.items = append(n.items, jsonNode(&x.Elements[i]))
		}
	case hujson.Literal:
		if x.Kind() == '"' {
			n.kind, n.text = text, x.String()
		}
	}
	return n
}
