package main

import (
	"slices"
	"strings"
)

// dispatch finds the command of the arguments and runs it.
func dispatch(args []string) int {
	if len(args) == 0 {
		return usageError("mcp-sandbox", "which command? One of "+names(""))
	}
	switch args[0] {
	case "--help", "-h", "help":
		return overview("")
	case "--version":
		return show("mcp-sandbox " + version + "\n")
	}
	all := commands()
	for n := min(2, len(args)); n > 0; n-- {
		name := strings.Join(args[:n], " ")
		if i := slices.IndexFunc(all, func(c command) bool { return c.name == name }); i >= 0 {
			return start(&all[i], args[n:])
		}
	}
	if group := args[0] + " "; names(group) != "" {
		if len(args) > 1 && (args[1] == "--help" || args[1] == "-h") {
			return overview(group)
		}
		if len(args) == 1 {
			return usageError("mcp-sandbox "+args[0], args[0]+" what? One of "+names(group))
		}
		return usageError("mcp-sandbox "+args[0], word(args[1])+" is no command of "+args[0]+": there is "+names(group))
	}
	return usageError("mcp-sandbox", word(args[0])+" is no command: there is "+names(""))
}

// start reads one command's flags and runs it.
func start(c *command, args []string) int {
	o := c.flags()
	rest, err := o.parse(args)
	switch {
	case o.help:
		return help(c, o)
	case err != nil:
		o.openReport() // a report that was understood gets the refusal as well
		return o.refuse(hinted("mcp-sandbox "+c.name, err.Error()))
	}
	return c.run(o, rest)
}

// names lists the first words of all commands, or the second ones of a group.
func names(group string) string {
	var list []string
	for _, c := range commands() {
		if name, ok := strings.CutPrefix(c.name, group); ok {
			name, _, _ = strings.Cut(name, " ")
			list = append(list, name)
		}
	}
	return strings.Join(slices.Compact(list), ", ")
}
