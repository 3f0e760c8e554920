package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
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
		name, ok := strings.CutPrefix(c.Name, group)
		if !ok {
			continue
		}
		first, _, more := strings.Cut(name, " ")
		text := c.Short
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
func completed(c *cli.Command, before []string, word string) completion {
	f := c.Flags()
	flags, rest, missing := f.Split(before)
	name, value, joined := strings.Cut(word, "=")
	at := len(flags)
	if rest != nil && before[at] == "--" {
		at++
	}
	switch {
	case missing != "" && at == len(before)-1:
		return valueOf(missing, f.Meta(strings.TrimPrefix(missing, "--")), "", word)
	case missing != "":
		return completion{}
	case rest != nil && strings.Contains(c.Args, "COMMAND"):
		return completion{kind: "command", from: at}
	case rest == nil && joined && strings.HasPrefix(word, "--"):
		return valueOf(name, f.Meta(strings.TrimPrefix(name, "--")), name+"=", value)
	case rest == nil && strings.HasPrefix(word, "-"):
		return completion{kind: "words", words: flagWords(f)}
	case strings.HasSuffix(c.Args, "] COMMAND [ARG...]"):
		return completion{kind: "command", from: len(before)}
	}
	return valueOf(c.Name, operand(c), "", word)
}

// flagWords are the names of all flags.
func flagWords(f *cli.Flags) (all []candidate) {
	for _, l := range f.Lines {
		if l.Name != "" && l.Here() {
			all = append(all, candidate{"--" + l.Name, l.Text})
		}
	}
	return append(all, candidate{"--help", "print what the flags do, and examples"})
}

// operand is what the usage calls a command's own words; "" for none.
func operand(c *cli.Command) string {
	usage := strings.ReplaceAll(c.Args, "[-- COMMAND [ARG...]]", "")
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
