package main

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/build"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/manual"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/policy/nearest"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// dispatch finds the command of the arguments and runs it.
func dispatch(args []string) int {
	if len(args) == 0 {
		return cli.UsageError("", "no command: there is "+names(""))
	}
	switch args[0] {
	case "--help", "-h":
		return overview("")
	case "--version":
		return cli.Show(build.Read("mcp-sandbox").String() + "\n")
	case serveName:
		return serve(args[1:])
	case "__complete": // what the scripts of the command completion call
		return cli.Show(complete(args[1:]))
	case "__manual": // what scripts/dist calls
		all, err := manuals()
		return manual.Write(args[1:], all, err)
	}
	if c, n := find(args); c != nil {
		return c.Start(args[n:])
	}
	if names(args[0]+" ") != "" {
		return notInGroup(args[0], args[1:])
	}
	return cli.UsageError("", noCommand(args))
}

// find is the command that the first n words name; nil for none.
func find(args []string) (c *cli.Command, n int) {
	all := commands()
	for n := min(2, len(args)); n > 0; n-- {
		name := strings.Join(args[:n], " ")
		if i := slices.IndexFunc(all, func(c cli.Command) bool { return c.Name == name }); i >= 0 {
			return &all[i], n
		}
	}
	return nil, 0
}

// noCommand is the error of a first word that is no command of this program: misspelt, a flag, or a server's.
func noCommand(args []string) string {
	if words := strings.Fields(args[0]); len(words) > 1 {
		if c, _ := find(words); c != nil {
			return severalWords(words)
		}
		if isLine(args[0], words[0]) {
			return severalWords(append([]string{"run"}, words...))
		}
	}
	text := text.Quote(args[0]) + " is no command"
	all := names("")
	switch meant := nearest.Of(args[0], strings.Split(all, ", ")); {
	case args[0] == "--":
		return text + " (did you mean mcp-sandbox run -- ...?)"
	case meant != "" && !strings.HasPrefix(args[0], "-"):
		return text + " (did you mean mcp-sandbox " + meant + "?)"
	case synonym(args[0]) != "":
		return text + " (did you mean mcp-sandbox " + synonym(args[0]) + "?)"
	case args[0] == "-v" || args[0] == "-V":
		return text + " (did you mean mcp-sandbox version?)"
	case strings.HasPrefix(args[0], "-"):
		behind := "run"
		if c, n := find(args[1:]); c != nil {
			behind = strings.Join(args[1:1+n], " ")
		}
		return text + ": flags come behind one, as in mcp-sandbox " + behind + " " + cli.Typed(args[0])
	case len(args) > 1 || strings.ContainsAny(args[0], `/\`):
		return text + " (did you mean mcp-sandbox run " + cli.Typed(args[0]) + " ...?)"
	}
	return text + ": there is " + all
}

// isLine reports whether a word with blanks in it is the line of a server, and no file of such a name.
func isLine(word, first string) bool {
	if strings.HasPrefix(first, "-") {
		return true
	}
	return !pipeline.Exists(word) && (!strings.ContainsAny(first, `/\`) || pipeline.Exists(first))
}

// severalWords is the error of a command line that stands in one word, as in an mcp.json of one argument.
func severalWords(words []string) string {
	const most = 6
	quoted := make([]string, 0, most+1)
	for _, w := range words[:min(len(words), most)] {
		quoted = append(quoted, text.Quote(w))
	}
	if len(words) > most {
		quoted = append(quoted, "…")
	}
	return "the whole line is one word: write each word as an element of its own, " + strings.Join(quoted, ", ")
}

// synonym is the command that other programs call by that name; "" for none.
func synonym(word string) string {
	const words = "exec=run,start=run,launch=run,status=doctor,info=doctor,diagnose=doctor,preview=plan," +
		"validate=policy check,lint=policy check,verify=policy check,print=policy show,dump=policy show," +
		"show=policy show,check=policy check,explain=policy explain,describe=policy explain,security=policy explain," +
		"logs=report,log=report,ls=state list,remove=state rm,delete=state rm"
	for pair := range strings.SplitSeq(words, ",") {
		if name, command, ok := strings.Cut(pair, "="); ok && name == word {
			return command
		}
	}
	return ""
}

// notInGroup is the answer where a group of commands is named, and none of them.
func notInGroup(group string, args []string) int {
	program, list := "mcp-sandbox "+group, names(group+" ")
	switch {
	case len(args) == 0:
		return cli.UsageError(group, group+" takes a command of its own: there is "+list)
	case args[0] == "--help" || args[0] == "-h":
		return overview(group + " ")
	}
	text := text.Quote(args[0]) + " is no command of " + group
	if meant, ok := strings.CutPrefix(synonym(args[0]), group+" "); ok {
		return cli.UsageError(group, text+" (did you mean "+program+" "+meant+"?)")
	}
	if meant := nearest.Of(args[0], strings.Split(list, ", ")); meant != "" {
		return cli.UsageError(group, text+" (did you mean "+program+" "+meant+"?)")
	}
	return cli.UsageError(group, text+": there is "+list)
}

// names lists the first words of all commands, or the second ones of a group.
func names(group string) string {
	var list []string
	for _, c := range commands() {
		if name, ok := strings.CutPrefix(c.Name, group); ok {
			name, _, _ = strings.Cut(name, " ")
			list = append(list, name)
		}
	}
	return strings.Join(slices.Compact(list), ", ")
}
