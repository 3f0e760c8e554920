package edit

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
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

// mostWrapped is how many programs in front of a command are looked through.
const mostWrapped = 8

// leave is why a command is left alone, or empty.
func leave(words []string) string {
	program := startline.Program(words[0])
	for n := 0; !shellLine(program, words[1:]); n++ {
		inner, _ := startline.Unwrap(words)
		if inner == nil {
			break
		}
		if n == mostWrapped {
			return "starts the server through too many other programs"
		}
		words, program = inner, startline.Program(inner[0])
	}
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
