package diagnose

import (
	"errors"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/notice"
)

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
	case name == "cmd" || name == "cmd.exe":
		return "cmd /c is for Windows: name the program behind it as the command"
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

// NotExecutable is the remedy for a command that is there and is no program.
func NotExecutable(file string, err error) string {
	switch {
	case errors.Is(err, syscall.EISDIR):
		return "the command is a program, and no folder: name the program in it"
	case !errors.Is(err, syscall.EACCES):
		return ""
	}
	for _, script := range scripts {
		if strings.HasSuffix(file, script.ending) {
			return "start it by its interpreter: " + script.interpreter + " " + notice.Shell(file)
		}
	}
	return "a program needs chmod +x, and a script that or its interpreter in front, as in node server.js"
}

// scripts are files that people name as the command, and what starts them.
var scripts = [...]struct{ ending, interpreter string }{
	{".js", "node"}, {".mjs", "node"}, {".cjs", "node"}, {".py", "python3"}, {".sh", "sh"}, {".rb", "ruby"},
	{".jar", "java -jar"}, {".ts", "deno run"},
}

// Grant is the remedy where the working folder cannot be seen inside.
func Grant(path string, outside bool) string {
	if !outside {
		return "nor is it there outside: make that folder, and grant it"
	}
	return "grant it: --allow-read " + notice.Shell(path) + ", or allowRead in the policy"
}
