package strictjson

import (
	"slices"
	"strconv"
	"strings"
)

// MaxDepth is how deep arrays and objects may lie in each other.
const MaxDepth = 64

// Parse reads one document. The error is an [Errors].
//
// A name that occurs twice and U+0000 in a string do not end the reading, so that a caller can look for more errors:
// then there is a Value besides the error. After any other error the Value is nil.
func Parse(doc []byte) (*Value, error) {
	p := parser{s: string(doc), stack: make([]Value, 0, 32)}
	root := new(Value)
	p.space()
	if p.i == len(p.s) {
		p.errs.Add("", "the document is empty")
		return nil, p.errs
	}
	if !p.value(root) {
		return nil, p.errs
	}
	p.space()
	if p.i < len(p.s) {
		p.fail("data after the end of the document")
		return nil, p.errs
	}
	return root, p.errs.Err()
}

type parser struct {
	s     string
	i     int     // the next byte
	depth int     // arrays and objects that are open
	stack []Value // their items so far
	path  []step
	errs  Errors
}

// A step leads from an array or object to one of its items.
type step struct {
	name  string
	index int // -1 for a name
}

func (p *parser) space() {
	for p.i < len(p.s) {
		switch p.s[p.i] {
		case ' ', '\n', '\t', '\r':
			p.i++
		default:
			return
		}
	}
}

// at says whether the next byte is c.
func (p *parser) at(c byte) bool { return p.i < len(p.s) && p.s[p.i] == c }

// words are the values that are written as words.
var words = [...]Value{{Kind: Null, Text: "null"}, {Kind: Bool, Text: "true"}, {Kind: Bool, Text: "false"}}

// value reads one value into v; the next byte is not white space.
func (p *parser) value(v *Value) bool {
	if p.i >= len(p.s) {
		return p.unexpected("a value")
	}
	switch c := p.s[p.i]; {
	case c == '"':
		v.Kind = String
		return p.text(&v.Text)
	case c == '{':
		v.Kind = Object
		return p.items(v, '}') && p.unique(v.Items)
	case c == '[':
		v.Kind = Array
		return p.items(v, ']')
	case c == '-' || '0' <= c && c <= '9':
		v.Kind = Number
		return p.number(&v.Text)
	}
	for _, word := range words {
		if strings.HasPrefix(p.s[p.i:], word.Text) {
			v.Kind, v.Text = word.Kind, word.Text
			p.i += len(word.Text)
			return true
		}
	}
	return p.unexpected("a value")
}

// items reads an array or object, whose first byte is next.
func (p *parser) items(v *Value, end byte) bool {
	if p.depth++; p.depth > MaxDepth {
		return p.fail("more than " + strconv.Itoa(MaxDepth) + " levels")
	}
	p.i++
	p.space()
	first := len(p.stack)
	for n := 0; n > 0 || !p.at(end); n++ {
		var item Value
		s := step{index: n}
		if end == '}' {
			if !p.name(&item.Name) {
				return false
			}
			s = step{item.Name, -1}
		}
		p.path = append(p.path, s)
		if !p.value(&item) {
			return false
		}
		p.path = p.path[:len(p.path)-1]
		p.stack = append(p.stack, item)
		p.space()
		if p.at(end) {
			break
		}
		if !p.at(',') {
			return p.unexpected(`"," or "` + string(rune(end)) + `"`)
		}
		p.i++
		p.space()
	}
	p.i++
	p.depth--
	v.Items = slices.Clone(p.stack[first:])
	p.stack = p.stack[:first]
	return true
}

// name reads a member's name and the colon after it.
func (p *parser) name(name *string) bool {
	if !p.at('"') {
		return p.unexpected("a key in double quotes")
	}
	if !p.text(name) {
		return false
	}
	p.space()
	if !p.at(':') {
		return p.unexpected(`":" after the key`)
	}
	p.i++
	p.space()
	return true
}

// unique reports each name that was there before. Small objects need no memory for it.
func (p *parser) unique(items []Value) bool {
	var seen map[string]struct{}
	if len(items) > 16 {
		seen = make(map[string]struct{}, len(items))
	}
	for i := range items {
		name := items[i].Name
		_, twice := seen[name]
		if seen != nil {
			seen[name] = struct{}{}
		} else {
			twice = slices.ContainsFunc(items[:i], func(v Value) bool { return v.Name == name })
		}
		if twice && !p.errs.Add(p.pointer()+Step(name), "this key occurs twice") {
			return false
		}
	}
	return true
}
