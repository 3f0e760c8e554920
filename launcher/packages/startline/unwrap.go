package startline

import "strings"

// Unwrap takes one program off the front that starts another with the words behind its own: env, a shell's -c, cmd /c,
// timeout. Sets reports variables set on the way. Nil is where the words alone do not say the command, as behind a
// folder, a flag with a value, or words that only a shell understands.
func Unwrap(command []string) (inner []string, sets bool) {
	if len(command) < 2 {
		return nil, false
	}
	words := command[1:]
	program := Program(command[0])
	if strings.EqualFold(program, "cmd") {
		program = "cmd"
	}
	switch program {
	case "env":
		inner, sets = behindEnv(words)
	case "sh", "bash", "dash", "ash", "zsh", "ksh":
		inner = behindShell(words)
	case "cmd":
		const special = "&|<>^%"
		if strings.EqualFold(words[0], "/c") && !strings.ContainsAny(strings.Join(words, " "), special) {
			inner = words[1:]
		}
	case "nohup", "setsid", "nice", "timeout":
		inner = behindFlags(words, program == "timeout")
	}
	if len(inner) == 0 || inner[0] == "" || inner[0][0] == '-' {
		return nil, false
	}
	return inner, sets
}

// Program is the name of a program without its folder and the suffixes of Windows.
func Program(word string) string {
	name := word[strings.LastIndexAny(word, `/\`)+1:]
	for _, suffix := range []string{".exe", ".cmd", ".bat"} {
		if n := len(name) - len(suffix); n > 0 && strings.EqualFold(name[n:], suffix) {
			return strings.ToLower(name[:n])
		}
	}
	return name
}

// behindEnv is the command of env(1).
func behindEnv(words []string) (inner []string, sets bool) {
	if len(words) > 1 && words[0] == "-S" {
		words = append(strings.Fields(words[1]), words[2:]...)
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	for len(words) > 0 && strings.Contains(words[0], "=") && words[0][0] != '-' {
		words, sets = words[1:], true
	}
	return words, sets
}

// behindShell is the command of sh -c, if it is one command of plain words.
func behindShell(words []string) []string {
	const special = "\"'`\\$&|;<>()[]{}*?!#~\n="
	if len(words) < 2 || !strings.HasPrefix(words[0], "-") || strings.HasPrefix(words[0], "--") ||
		!strings.HasSuffix(words[0], "c") || strings.ContainsAny(words[1], special) {
		return nil
	}
	words = strings.Fields(words[1])
	if len(words) > 1 && words[0] == "exec" {
		words = words[1:]
	}
	return words
}

// behindFlags is the command of a program that has flags in front of it, and of timeout(1) the time too.
func behindFlags(words []string, timed bool) []string {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "-") && strings.Contains(word, "="), word == "--":
		case strings.HasPrefix(word, "-"):
			return nil // its value may be a word of its own
		case timed:
			timed = false
		default:
			return words[i:]
		}
	}
	return nil
}
