// Package toolchain reads texts by which programs come to run: the first lines of scripts, and how a virtual
// environment of Python names the Python that it was made from.
package toolchain

import (
	"path"
	"strings"
)

// ScriptHead is how much of a file the kernel looks at for "#!"; BINPRM_BUF_SIZE, execve(2).
const ScriptHead = 256

// Shebang takes a script's first line apart: the interpreter and its one argument, which may hold blanks. As for the
// kernel the carriage return of a line that ends as on Windows is a part of them.
func Shebang(head []byte) (interpreter, arg string, ok bool) {
	if len(head) < 2 || head[0] != '#' || head[1] != '!' {
		return "", "", false
	}
	line, _, _ := strings.Cut(string(head[2:]), "\n")
	line, _, _ = strings.Cut(line, "\x00")
	line = strings.Trim(line, " \t")
	interpreter = line
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		interpreter, arg = line[:i], strings.TrimLeft(line[i:], " \t")
	}
	return interpreter, arg, true
}

// EnvTarget is the program that env(1) starts when it is a script's interpreter with this argument; "" if none.
func EnvTarget(arg string) string {
	skip := false
	for _, word := range strings.Fields(arg) {
		switch {
		case skip:
			skip = false
		case word == "-u" || word == "-C" || word == "--unset" || word == "--chdir":
			skip = true // its value is the next word
		case len(word) > 2 && word[:2] == "-S":
			if word = word[2:]; !strings.Contains(word, "=") {
				return word
			}
		case strings.HasPrefix(word, "--split-string="):
			return word[len("--split-string="):]
		case word[0] == '-', strings.Contains(word, "="):
		default:
			return word
		}
	}
	return ""
}

// EndsInCR reports whether a first line that ends in CR LF keeps its script from being executed: the kernel, and
// env(1) but for -S, look for a program with a carriage return in its name.
func EndsInCR(interpreter, arg string) bool {
	const cr = "\r"
	return strings.HasSuffix(interpreter, cr) || path.Base(interpreter) == "env" && strings.HasSuffix(arg, cr) &&
		!strings.HasPrefix(arg, "-S") && !strings.HasPrefix(arg, "--split-string")
}

// EnvWords is the command that env(1) executes with this one argument of a first line; nil where it would do more.
func EnvWords(arg string) []string {
	rest, split := strings.CutPrefix(arg, "--split-string=")
	if !split {
		rest, split = strings.CutPrefix(arg, "-S")
	}
	words := strings.Fields(rest)
	if len(words) == 0 || words[0][0] == '-' || strings.Contains(words[0], "=") ||
		strings.ContainsAny(rest, "\"'\\$#") || !split && len(words) > 1 {
		return nil
	}
	return words
}

// VenvHome is the value of "home" in a pyvenv.cfg: the folder of the Python that the environment was made from.
func VenvHome(config string) string {
	for line := range strings.SplitSeq(config, "\n") {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "home" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
