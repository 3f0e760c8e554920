package edit

import (
	"bytes"
	"slices"
	"strings"
)

// hidden stands for a text that is not shown.
const hidden = `"…"`

// Masked is the file for people's eyes: of all texts in it the keys are shown, and the commands and the arguments of
// servers that can be changed. Passwords lie in the others: in variables, in headers, in settings that have nothing
// to do with servers, and in comments. Arguments that are a variable's or a header's value are hidden too.
func (d *Document) Masked() []byte {
	shown := map[*node]bool{}
	for i := range d.entries {
		e := &d.entries[i]
		for at, word := range e.words {
			shown[word] = d.servers[i].State != Cannot && !isValue(e.words, at)
		}
		if e.holder != nil {
			shown[e.holder.value("name")], shown[e.holder.value("type")] = true, true
		}
	}
	var masks []mask
	d.root.each(false, func(n *node, secret bool) {
		if n.kind == text && n.text != "" && !shown[n] || n.kind == other && secret {
			end := n.end
			if end == unknown {
				end = d.endOfBlock(n)
			}
			masks = append(masks, mask{span{n.start, end}, hidden})
		}
	})
	for _, c := range comments(d.bytes, d.syntax, d.root) {
		masks = append(masks, mask{c, "…"})
	}
	slices.SortStableFunc(masks, func(a, b mask) int { return a.start - b.start })
	var b []byte
	at := 0
	for _, m := range masks {
		if m.start < at { // the same value by two keys, as an alias of YAML
			continue
		}
		b = append(append(b, d.bytes[at:m.start]...), m.text...)
		at = m.end
	}
	return append(b, d.bytes[at:]...)
}

// A mask is a text in place of bytes.
type mask struct {
	span
	text string
}

// isValue reports whether a word of a command line has the value of a variable, as env NAME=VALUE and -e NAME=VALUE do,
// or of a header, as --header "NAME: VALUE" does.
func isValue(words []*node, at int) bool {
	if at == 0 {
		return false
	}
	word := words[at].text
	name, value, assigned := strings.Cut(word, "=")
	switch {
	case slices.Contains([]string{"-H", "--header", "--headers"}, words[at-1].text):
		return true
	case strings.HasPrefix(word, "-H"):
		return len(word) > 2
	case name == "--header", name == "--headers":
		return assigned
	case name == "--env":
		return strings.Contains(value, "=")
	}
	return assigned && isVariable(strings.TrimPrefix(name, "-e"))
}

// isVariable reports whether a text can be the name of a variable in a shell.
func isVariable(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
	})
}

// each visits a node and all below it; secret: in a table of variables or headers, where a number is a value too.
func (n *node) each(secret bool, visit func(n *node, secret bool)) {
	if n == nil {
		return
	}
	visit(n, secret)
	for _, item := range n.items {
		item.each(secret, visit)
	}
	for _, m := range n.members {
		inside := slices.Contains(environments(), m.name) || strings.Contains(strings.ToLower(m.name), "headers")
		m.value.each(secret || inside, visit)
	}
}

// endOfBlock is where a text of YAML ends that goes on over lines with more indentation than its own.
func (d *Document) endOfBlock(n *node) int {
	at := lineStart(d.bytes, n.start)
	deep := indentation(d.bytes[at:])
	for {
		next := bytes.IndexByte(d.bytes[at:], '\n')
		if next < 0 {
			return len(d.bytes)
		}
		line := d.bytes[at+next+1:]
		if own, _, _ := bytes.Cut(line, []byte("\n")); len(bytes.TrimSpace(own)) > 0 && indentation(line) <= deep {
			return at + next
		}
		at += next + 1
	}
}

func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

// Variables are the values that an entry gives to variables, as NAME=VALUE, where they stand in the entry as they are.
// They can be secrets.
func (d *Document) Variables(server int) []string { return d.entries[server].variables }

// Secrets are the values of an entry's variables, and of the variables and headers in its arguments, each from any
// space on, and in arguments "=" and ":": a server may show the token behind "Bearer " alone.
func (d *Document) Secrets(server int) (all []string) {
	e := &d.entries[server]
	add := func(text, between string) {
		for i := 0; i >= 0; i = strings.IndexAny(text, between) {
			text = strings.TrimLeft(text[i:], between)
			all = append(all, text)
		}
	}
	for _, v := range e.variables {
		_, value, _ := strings.Cut(v, "=")
		add(value, " ")
	}
	for at, word := range e.words {
		if isValue(e.words, at) {
			add(word.text, "=: ")
		}
	}
	return all
}

// variables are those of an entry, with their values.
func (n *node) variables() (all []string) {
	for _, v := range n.all(environments()) {
		for _, m := range v.members {
			if m.value != nil && m.value.kind == text && !strings.Contains(m.value.text, "${") {
				all = append(all, m.name+"="+m.value.text)
			}
		}
	}
	return all
}

// environments are the keys by which hosts have an entry's variables.
func environments() []string { return []string{"env", "envs", "environment"} }

// envFiles are the keys by which an entry names a file of variables.
func envFiles() []string { return []string{"envFile", "env_file"} }
