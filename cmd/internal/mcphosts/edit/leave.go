package edit

import (
	"slices"
	"strings"
)

// starters are programs whose servers are left alone, and why.
var starters = [...]struct{ names, reason string }{
	{"docker docker-compose podman nerdctl container finch flatpak distrobox toolbox apptainer singularity",
		"starts the server in a container, which is confined there"},
	{"srt nono thv fence firejail bwrap landrun sandbox-exec mcp-context-protector mcp-defender",
		"confines or watches the server already"},
	{"mcp-sandbox mcp-sandbox-init", "is written here by hand: wrap changes only lines that wrap wrote"},
	{"sudo doas pkexec su runuser", "needs rights that no confined process can get"},
	{"wsl ssh kubectl limactl", "starts the server on another system"},
}

// leave is why a command is left alone, or empty.
func leave(words []string) string {
	words = behind(words)
	program := base(words[0])
	for _, s := range starters {
		if slices.Contains(strings.Fields(s.names), program) {
			return program + " " + s.reason
		}
	}
	switch {
	case strings.Contains(words[0], "${input:"):
		return "the command is asked for at each start (${input:…})"
	case shellLine(program, words[1:]):
		return program + " runs a line of a shell: name the program itself as the command"
	}
	return ""
}

// behind is what `env NAME=VALUE COMMAND` and `cmd /c COMMAND` start.
func behind(words []string) []string {
	rest := words[1:]
	switch program := base(words[0]); {
	case program == "env":
		for len(rest) > 0 && strings.Contains(rest[0], "=") && rest[0][0] != '-' {
			rest = rest[1:]
		}
	case program == "cmd" && len(rest) > 0 && strings.EqualFold(rest[0], "/c") && !shellLine(program, rest):
		rest = rest[1:]
	default:
		return words
	}
	if len(rest) == 0 || rest[0] == "" || rest[0][0] == '-' {
		return words
	}
	return behind(rest)
}

// shellLine reports whether a shell is given a line, and not the name of a script. What cmd /c starts is a program
// with its arguments, as npx on Windows, unless cmd would read more in it.
func shellLine(program string, args []string) bool {
	switch program {
	case "sh", "bash", "dash", "zsh", "ksh", "fish", "ash", "busybox":
		return slices.ContainsFunc(args, func(arg string) bool {
			return arg == "--command" || len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.HasSuffix(arg, "c")
		})
	case "powershell", "pwsh":
		return !slices.ContainsFunc(args, func(arg string) bool { return strings.EqualFold(arg, "-file") })
	case "cmd":
		return strings.ContainsAny(strings.Join(args, " "), "&|<>^%")
	}
	return false
}

// base is the name of a program without its folder and the suffixes of Windows.
func base(program string) string {
	name := program[strings.LastIndexAny(program, `/\`)+1:]
	for _, suffix := range []string{".exe", ".cmd", ".bat"} {
		if len(name) > len(suffix) && strings.EqualFold(name[len(name)-len(suffix):], suffix) {
			return strings.ToLower(name[:len(name)-len(suffix)])
		}
	}
	return name
}
