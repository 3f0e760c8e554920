package diagnose

import "strings"

// NotFound is the remedy where there is no program of the command's name. path is what was looked for; "" is returned
// where that was the interpreter of a script.
func NotFound(command, path string) string {
	const separators = `/\`
	name := command[strings.LastIndexAny(command, separators)+1:]
	switch {
	case !strings.HasSuffix(path, name):
		return ""
	case strings.HasPrefix(command, "-"):
		return "flags come in front of --, behind it stands the command"
	case strings.HasPrefix(command, "~"):
		return "no shell expands ~ here: write the whole path"
	case strings.Contains(command, "$"):
		return "no shell expands $ here: write the whole path"
	case strings.ContainsAny(command, " \t"):
		return "command and arguments are separate words, each without the quotes of the others"
	case !strings.ContainsAny(command, separators):
		return "no folder of PATH has it, and a client's PATH is often shorter than a terminal's: write its whole path"
	}
	return ""
}

// Grant is the remedy where the working folder cannot be seen inside.
func Grant(path string, outside bool) string {
	if !outside {
		return "nor is it there outside: make that folder, and grant it"
	}
	return "grant it: --allow-read " + path + ", or filesystem.allowRead in the policy"
}
