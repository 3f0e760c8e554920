package main

import (
	"slices"
	"strconv"
	"strings"
)

// A completion is what the word under the cursor can be.
type completion struct {
	kind  string // words, files, folders, command, or nothing
	from  int    // of command: where COMMAND stands among the words behind the program's name
	front string // what of the word is not part of the path: --policy=
	words []candidate
}

// A candidate is a whole word, and a line about it.
type candidate struct{ word, text string }

// String is the answer that the shells' scripts read: a line with the kind and its argument, and a line for each
// candidate. Words with characters that a shell would have to quote are left out.
func (c completion) String() string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-"
	text := c.kind + "\t" + c.front
	if c.kind == "command" {
		text += strconv.Itoa(c.from)
	}
	for _, w := range c.words {
		if w.word != "" && strings.Trim(w.word, plain) == "" {
			text += "\n" + c.front + w.word + "\t" + w.text
		}
	}
	return text + "\n"
}

// complete answers for the words behind the program's name. The last is the part in front of the cursor of the word
// under it. Nothing is changed on the machine, and no network is used.
func complete(words []string) string {
	if len(words) == 0 {
		return ""
	}
	last := len(words) - 1
	before, word := words[:last], words[last]
	helps := last > 0 && before[0] == "help"
	if helps {
		before = before[1:]
		if len(before) == 0 && strings.HasPrefix(word, "-") {
			return completion{kind: "words", words: []candidate{{"--man", "print a manual page"}}}.String()
		}
		if len(before) > 0 && before[0] == "--man" {
			before = before[1:]
		}
	}
	c, n := find(before)
	if c == nil || helps {
		return completion{kind: "words", words: commandWords(before, word, helps)}.String()
	}
	answer := completed(c, before[n:], word)
	answer.from += n
	return answer.String()
}

// commandWords are the words that can follow these in the name of a command.
func commandWords(before []string, word string, helps bool) (all []candidate) {
	group := strings.Join(append(slices.Clone(before), ""), " ")
	for _, c := range commands() {
		name, ok := strings.CutPrefix(c.name, group)
		if !ok {
			continue
		}
		first, _, more := strings.Cut(name, " ")
		text := c.short
		if more {
			text = strings.ReplaceAll(names(group+first+" "), ", ", " | ")
		}
		if len(all) == 0 || all[len(all)-1].word != first {
			all = append(all, candidate{first, text})
		}
	}
	if len(before) == 0 && !helps && strings.HasPrefix(word, "-") {
		return []candidate{{"--help", "list the commands"}, {"--version", "print which build this is"}}
	}
	return all
}

// completed is what a word of a command can be, behind these.
func completed(c *command, before []string, word string) completion {
	o := c.flags()
	flags, rest, missing := o.split(before)
	name, value, joined := strings.Cut(word, "=")
	at := len(flags)
	if rest != nil && before[at] == "--" {
		at++
	}
	switch {
	case missing != "" && at == len(before)-1:
		return valueOf(missing, metaOf(o, missing), "", word)
	case missing != "":
		return completion{}
	case rest != nil && strings.Contains(c.args, "COMMAND"):
		return completion{kind: "command", from: at}
	case rest == nil && joined && strings.HasPrefix(word, "--"):
		return valueOf(name, metaOf(o, name), name+"=", value)
	case rest == nil && strings.HasPrefix(word, "-"):
		return completion{kind: "words", words: flagWords(o)}
	case strings.HasSuffix(c.args, "] COMMAND [ARG...]"):
		return completion{kind: "command", from: len(before)}
	}
	return valueOf(c.name, c.operand(), "", word)
}

// flagWords are the names of all flags.
func flagWords(o *options) (all []candidate) {
	for _, l := range o.lines {
		if l.name != "" && l.here() {
			all = append(all, candidate{"--" + l.name, l.text})
		}
	}
	return append(all, candidate{"--help", "print what the flags do, and examples"})
}

// metaOf is what the help calls a flag's value; of a switch that takes one the values.
func metaOf(o *options, flag string) string {
	name := strings.TrimPrefix(flag, "--")
	if f := o.set.Lookup(name); f != nil && f.NoOptDefVal == "true" {
		return "true|false"
	}
	for _, l := range o.lines {
		if l.name == name && l.here() {
			return l.value
		}
	}
	return ""
}

// operand is what the usage calls a command's own words; "" for none.
func (c *command) operand() string {
	usage := strings.ReplaceAll(c.args, "[-- COMMAND [ARG...]]", "")
	for { // without [--flag VALUE]
		front, rest, flag := strings.Cut(usage, "[--")
		_, behind, ends := strings.Cut(rest, "]")
		if !flag || !ends {
			break
		}
		usage = front + strings.TrimPrefix(behind, "...")
	}
	words := strings.Fields(usage)
	if len(words) == 0 {
		return ""
	}
	return strings.Trim(words[len(words)-1], "[].")
}
