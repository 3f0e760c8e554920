package edit

import (
	"bytes"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
)

// unwrap takes the launcher's words away again.
func (s source) unwrap(e *entry) ([]splice, error) {
	command, args := e.holder.get(e.command), e.holder.get("args")
	if e.list {
		one, err := s.remove(command, e.own)
		return []splice{one}, err
	}
	old, err := s.literal(e.words[e.own])
	if err != nil {
		return nil, err
	}
	if command.value.end == unknown {
		return nil, errMove
	}
	all := []splice{{command.value.start, command.value.end, old}}
	var one splice
	if e.hadNoArgs() {
		one, err = s.removeArgs(e, args)
	} else {
		one, err = s.remove(args, e.own)
	}
	return append(all, one), err
}

// hadNoArgs reports whether the entry had no list of arguments, which the spelling of --policy tells.
func (e *entry) hadNoArgs() bool {
	return e.own > 0 && len(e.words) == e.own+1 && !e.list && strings.HasPrefix(e.words[2].text, "--policy=")
}

// remove takes the first words of a list away, with what is between them and the next.
func (s source) remove(m *member, count int) (splice, error) {
	l := m.value
	for i := range count {
		if i+1 == len(l.items) {
			break
		}
		if l.items[i].end == unknown || !s.between(l, i) {
			return splice{}, errComment
		}
	}
	switch {
	case count < len(l.items) && l.block:
		gap := s.bytes[:l.items[count].start]
		return splice{l.start, bytes.LastIndexByte(gap, '-'), ""}, nil
	case count < len(l.items):
		return splice{l.items[0].start, l.items[count].start, ""}, nil
	case l.end == unknown || m.stop == unknown:
		return splice{}, errComment
	case l.block: // YAML has no other list without items
		return splice{m.stop + bytes.IndexByte(s.bytes[m.stop:], ':') + 1, l.end, " []"}, nil
	}
	start, end := l.items[0].start, l.items[count-1].end
	if start > l.start+1 && blank(s.bytes[l.start+1:start], 0) && blank(s.bytes[end:l.end-1], 1) {
		return splice{l.start + 1, l.end - 1, ""}, nil // the host has written the file anew, each item on a line
	}
	if comma := bytes.IndexByte(s.bytes[end:l.end], ','); comma >= 0 && blank(s.bytes[end:end+comma], 0) {
		end += comma + 1
	}
	return splice{start, end, ""}, nil
}

// between reports whether only a separator is between two items.
func (s source) between(l *node, i int) bool {
	gap := s.bytes[l.items[i].end:l.items[i+1].start]
	if l.block {
		return string(bytes.TrimSpace(gap)) == "-"
	}
	return blank(gap, 1)
}

// plainList reports whether there is nothing in a list besides its items, and nothing between the list and its key.
func (s source) plainList(m *member) bool {
	l := m.value
	if m.stop == unknown || strings.Trim(string(s.bytes[m.stop:l.start]), ":= \t\r\n") != "" {
		return false
	}
	for i := range len(l.items) - 1 {
		if l.items[i].end == unknown || !s.between(l, i) {
			return false
		}
	}
	first, last := l.items[0], l.items[len(l.items)-1]
	return l.block || blank(s.bytes[l.start+1:first.start], 0) && blank(s.bytes[last.end:l.end-1], 1)
}

// removeArgs takes the list of arguments away.
func (s source) removeArgs(e *entry, m *member) (splice, error) {
	var before, after *member
	for i := range e.holder.members {
		switch one := &e.holder.members[i]; {
		case one.start < m.start && (before == nil || one.start > before.start):
			before = one
		case one.start > m.start && (after == nil || one.start < after.start):
			after = one
		}
	}
	end := m.value.end
	if end == unknown || !s.plainList(m) {
		return splice{}, errComment
	}
	if e.holder.block && (s.syntax == mcphosts.TOML || s.syntax == mcphosts.YAML) {
		if line := lineStart(s.bytes, m.start); line > 0 && blank(s.bytes[line:m.start], 0) {
			return splice{len(bytes.TrimSuffix(s.bytes[:line-1], []byte("\r"))), end, ""}, nil
		}
		if after != nil && blank(s.bytes[end:after.start], 0) {
			return splice{m.start, after.start, ""}, nil
		}
		return splice{}, errComment
	}
	if before != nil && before.value.end != unknown && blank(s.bytes[before.value.end:m.start], 1) {
		return splice{before.value.end, end, ""}, nil
	}
	if after != nil && blank(s.bytes[end:after.start], 1) {
		return splice{m.start, after.start, ""}, nil
	}
	return splice{}, errComment
}
