// Package edit finds the servers in a file of an MCP host, and changes the bytes of an entry and no others.
//
//	d, err := edit.Open(bytes, file.Form, isOurPolicy)
//	for i, s := range d.Servers() {
//		if s.State == edit.Plain {
//			changes = append(changes, edit.Change{Server: i, Program: "/usr/bin/mcp-sandbox", Policy: "/…/fs.json"})
//		}
//	}
//	after, err := d.Rewrite(changes)
//
// A wrapped entry starts `mcp-sandbox run --policy FILE -- COMMAND ARGS`. The words of the old command stay as their
// author wrote them, byte for byte, so that what is unwrapped is what was there; nothing besides the entry has to be
// kept for that, and a file that its host or its user changed elsewhere in between is no different. FILE is the next
// word where the entry had arguments, and `--policy=FILE` is one word where the entry had no list of them.
//
// Each file is read by a parser which knows where every value lies. Pieces of text are exchanged there, the result is
// read again, by a decoder of its own, and is refused unless it differs in the entry alone. Comments, the order of
// keys, indentation, line ends, a byte order mark and the last newline stay.
//
// Not read at all, with an error of one line that shows no value: what is no UTF-8, what does not parse, more than
// [MaxSize] bytes, several documents in one file, and keys that occur twice where servers are written.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// MaxSize is how many bytes a file may have.
const MaxSize = 16 << 20

// maxTOML is how many bytes a file of TOML may have: its decoder compares each table with all others, and 50,000 of
// them (0.8 MB) took 11 s.
const maxTOML = 1 << 18

// maxServers is how many servers a file may have: for each a command looks at folders, programs and a policy.
const maxServers = 1000

// maxDepth is how many brackets may be open in a file: parsers call themselves for each.
const maxDepth = 5000

// A Document is a file that was read.
type Document struct {
	source
	form    mcphosts.Form
	root    *node
	ours    func(policy string) bool
	servers []Server
	entries []entry
}

var mark = []byte("\ufeff")

// Open reads a file. The function ours reports whether a policy is one that wrap wrote.
func Open(file []byte, form mcphosts.Form, ours func(policy string) bool) (*Document, error) {
	d := &Document{source: source{file, form.Syntax}, form: form, ours: ours}
	switch {
	case len(file) > MaxSize:
		return nil, fmt.Errorf("more than %d MiB", MaxSize>>20)
	case len(file) > maxTOML && form.Syntax == mcphosts.TOML:
		return nil, fmt.Errorf("more than %d KiB of TOML", maxTOML>>10)
	case !utf8.Valid(file):
		return nil, errors.New("not UTF-8")
	case tooDeep(file):
		return nil, fmt.Errorf("more than %d brackets are open at once", maxDepth)
	case len(bytes.TrimSpace(bytes.TrimPrefix(file, mark))) == 0:
		return d, nil
	}
	var err error
	if d.root, err = d.parse(); err != nil {
		return nil, err
	}
	if err := d.find(); err != nil {
		return nil, err
	}
	return d, nil
}

// parse is the tree of the file, with offsets in the whole of it.
func (s source) parse() (root *node, err error) {
	text := bytes.TrimPrefix(s.bytes, mark)
	switch s.syntax {
	case mcphosts.TOML:
		root, err = parseTOML(text)
	case mcphosts.YAML:
		root, err = parseYAML(text)
	default:
		root, err = parseJSON(text, s.syntax == mcphosts.JSON)
	}
	if err != nil {
		return nil, fmt.Errorf("not %s: %w", s.syntax, err)
	}
	root.shift(len(s.bytes) - len(text))
	return root, nil
}

// tooDeep counts brackets in strings too: a text with thousands of them that none closes is no configuration.
func tooDeep(file []byte) bool {
	depth := 0
	for _, c := range file {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}
