package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// note adds an error after which the reading can go on, if there is room for more.
func (p *parser) note(msg string) bool { return p.errs.Add(p.pointer(), msg) }

// fail adds an error that ends the reading, with its place in the text.
func (p *parser) fail(msg string) bool {
	before := p.s[:min(p.i, len(p.s))]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	p.note(msg + " (line " + strconv.Itoa(line) + ", column " + strconv.Itoa(column) + ")")
	return false
}

func (p *parser) unexpected(wanted string) bool {
	if p.i >= len(p.s) {
		return p.fail("the document ends where " + wanted + " should be")
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.i:])
	if r == 0xfeff && p.i == 0 {
		return p.fail("the document begins with a byte order mark")
	}
	return p.fail("expected " + wanted + ", found " + strconv.QuoteRune(r) + language(r))
}

// language is the hint at the other language that a character which JSON does not have here comes from.
func language(r rune) string {
	switch r {
	case '/', '#':
		return ": JSON has no comments"
	case '\'':
		return ": JSON has double quotes alone"
	}
	return ""
}

func (p *parser) pointer() (pointer string) {
	for _, s := range p.path {
		if s.index < 0 {
			pointer += Step(s.name)
		} else {
			pointer += "/" + strconv.Itoa(s.index)
		}
	}
	return pointer
}
