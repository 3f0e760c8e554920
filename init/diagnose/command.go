package diagnose

import (
	"errors"
	"path"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// NotFound is the remedy where there is no program of the command's name. at is the path that was looked for; "" is
// returned where that was the interpreter of a script. home is the user's.
func NotFound(command, at, home string) string {
	const separators = `/\`
	name := command[strings.LastIndexAny(command, separators)+1:]
	switch {
	case !strings.HasSuffix(at, name):
		return ""
	case strings.HasPrefix(command, "-"):
		return "flags come in front of --, behind it stands the command"
	case name == "cmd" || name == "cmd.exe":
		return "cmd /c is for Windows: name the program behind it as the command"
	case strings.HasPrefix(command, "~"):
		return "no shell expands ~ here: write the whole path"
	case strings.Contains(command, "$"):
		return "no shell expands $ here: write the whole path"
	case strings.ContainsAny(command, " \t"):
		return "command and arguments are separate words, each without the quotes of the others"
	case isBuiltin(command):
		return "it is a command of shells: for cd there is the key cwd, for export the key env, " +
			"for the rest sh -c '...'"
	case strings.IndexAny(command, separators) > 0 && command[0] != '.' && !strings.Contains(command, `:\`):
		return "a name with a slash is a path from the working folder"
	case command == "", strings.ContainsAny(command, separators):
		return ""
	case runtimes.Starter(command) != "":
		return "no script is looked up: start it by its interpreter, " + runtimes.Starter(command) + " ./" +
			text.Shell(command)
	case strings.Contains(command, ":"):
		return "an image of a container is no command: name a program of this machine"
	default:
		return "no folder of PATH has it, and " + runtimes.ShortPath(home, command)
	}
}

// isBuiltin reports whether a shell has a command of that name, and no file is of that name anywhere.
func isBuiltin(command string) bool {
	return strings.Contains(" cd source . export alias exec set unset ulimit eval ", " "+command+" ")
}

// NotExecutable is the remedy for a command that is there and is no program.
func NotExecutable(file string, err error) string {
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "the command is a program, and no folder: name the program in it"
	case !errors.Is(err, syscall.EACCES):
		return ""
	}
	if interpreter := runtimes.Starter(file); interpreter != "" {
		return "start it by its interpreter: " + interpreter + " " + text.Shell(file)
	}
	return "a program needs chmod +x, and a script that or its interpreter in front, as in node server.js"
}

// Grant is the remedy where the working folder cannot be seen inside. flag was tried on the plan of the launch.
func Grant(flag, path string) string { return grant("grant it: ", flag, path) }

// GrantTarget is the remedy for a link that a server could have made.
func GrantTarget(flag, target string) string {
	return grant("grant what it leads to, if that is yours: ", flag, target)
}

// grant is a remedy with a flag that is whole, in the brackets of a line of its own; else with the key alone.
func grant(what, flag, path string) string {
	key := keyOf(flag) + " in the policy"
	text := notice.Offer(flag, path, notice.Width-len(what)-len("( )")-len(flag))
	if without, none := strings.CutPrefix(text, "no flag"); none {
		return what + key + without
	}
	if all := what + text + ", or " + key; utf8.RuneCountInString(all) <= notice.Width-len("()") {
		return all
	}
	return what + text
}

// MakeFirst is the remedy where the working folder is missing outside as well.
const MakeFirst = "nor is it there outside: make that folder, and grant it"

// InFolder is the remedy for a working folder that is a file.
func InFolder(file string) string {
	return "it is a file: name the folder that it lies in, " + text.Shell(path.Dir(file))
}

// NoGrant is the text in the place of a remedy where no grant helps.
func NoGrant(err error) string { return "nothing grants it: " + err.Error() }

// keyOf is the key of the policy that a flag of grants adds to.
func keyOf(flag string) string {
	switch flag {
	case "--allow-write":
		return "allowWrite"
	case "--allow-unix-socket":
		return "allowUnixSockets"
	}
	return "allowRead"
}

// InTheirPlace is the remedy where a policy names too many paths of one folder.
func InTheirPlace(flag, folder string) string {
	return "name that folder in their place (" + flag + " " + text.Shell(folder) + ")"
}
