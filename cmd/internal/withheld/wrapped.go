package withheld

import (
	"path/filepath"
	"strings"
)

// mostWrapped is how many programs in front of a command are looked through.
const mostWrapped = 4

// unwrapped is the command that env, a shell's -c, timeout and their like would start, as far as their words say it:
// nothing is known behind a variable that is set in front, another folder, or what only a shell understands.
func unwrapped(command []string) []string {
	words := command
	for range mostWrapped {
		var inner []string
		switch base(words[0]) {
		case "env":
			inner = behindEnv(words[1:])
		case "sh", "bash", "dash", "ash", "zsh", "ksh":
			inner = behindShell(words[1:])
		case "nohup", "setsid", "nice", "timeout":
			inner = behindFlags(words)
		default:
			return words
		}
		if len(inner) == 0 {
			return command
		}
		words = inner
	}
	return command
}

// behindEnv is the command of env(1).
func behindEnv(words []string) []string {
	if len(words) > 1 && words[0] == "-S" {
		words = append(strings.Fields(words[1]), words[2:]...)
	}
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=") {
		return nil
	}
	return words
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
func behindFlags(words []string) []string {
	timed := filepath.Base(words[0]) == "timeout"
	for i, word := range words[1:] {
		switch {
		case strings.HasPrefix(word, "-") && strings.Contains(word, "="), word == "--":
		case strings.HasPrefix(word, "-"):
			return nil // its value may be a word of its own
		case timed:
			timed = false
		default:
			return words[1+i:]
		}
	}
	return nil
}
