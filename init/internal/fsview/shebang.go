package fsview

import "strings"

// scriptHead is how much of a file the kernel looks at for "#!"; BINPRM_BUF_SIZE, execve(2).
const scriptHead = 256

// shebang takes a script's first line apart: the interpreter and its one argument, which may hold blanks. As for the
// kernel the carriage return of a line that ends as on Windows is a part of them.
func shebang(head []byte) (interpreter, arg string, ok bool) {
	if len(head) < 2 || head[0] != '#' || head[1] != '!' {
		return "", "", false
	}
	line := string(head[2:])
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	}
	if i := strings.IndexByte(line, 0); i >= 0 {
		line = line[:i]
	}
	line = strings.Trim(line, " \t")
	interpreter = line
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		interpreter, arg = line[:i], strings.TrimLeft(line[i:], " \t")
	}
	return interpreter, arg, true
}

// envTarget is the program that env(1) starts when it is a script's interpreter with this argument; "" if none.
func envTarget(arg string) string {
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

// returns reports whether a first line that ends in CR LF keeps its script from being executed: the kernel, and env(1) but
// for -S, look for a program with a carriage return in its name.
func returns(interpreter, arg string) bool {
	const cr = "\r"
	return strings.HasSuffix(interpreter, cr) || baseOf(interpreter) == "env" && strings.HasSuffix(arg, cr) &&
		!strings.HasPrefix(arg, "-S") && !strings.HasPrefix(arg, "--split-string")
}

// interpreting reports whether a program is one that scripts are written for. A server that wrote a script may have env(1) find
// such a one, whose installation is shown then, and none of the user's own programs, which may hold what is not for it.
func interpreting(name string) bool {
	switch strings.TrimRight(name, "0123456789.") {
	case "python", "pypy", "uv", "uvx", "node", "nodejs", "npx", "tsx", "ts-node", "deno", "bun", "bunx", "ruby", "perl", "raku", "php", "lua", "luajit",
		"bash", "sh", "dash", "zsh", "ksh", "mksh", "fish", "pwsh", "nu", "awk", "gawk", "make", "tclsh", "expect", "java", "jbang", "kotlin", "scala",
		"groovy", "clojure", "bb", "julia", "Rscript", "guile", "racket", "elixir", "escript", "runhaskell", "ocaml", "swift", "dotnet", "go":
		return true
	}
	return false
}
