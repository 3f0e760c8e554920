package fsview

import (
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// once makes the command one that a single execve starts. The kernel follows the first lines of scripts within one call,
// but env(1) makes another, so what env would execute is executed itself. A shell or a package runner is refused: it could
// start, and would only fail at the first program that it needs.
func (p *planner) once() error {
	at, argv := p.v.Command, p.v.Argv
	for range 2 * maxScripts {
		r, err := p.host.resolve(at)
		if err != nil {
			return commandError(at, err)
		}
		if isStarter(baseOf(at)) || isStarter(baseOf(r.path)) {
			return p.starts(at)
		}
		interpreter, arg, script := p.head(r.path)
		if !script {
			return nil
		}
		interpreter = path.Clean(interpreter)
		if baseOf(interpreter) != "env" {
			words := []string{interpreter}
			if arg != "" {
				words = append(words, arg)
			}
			at, argv = interpreter, instead(words, at, argv)
			continue
		}
		words := envWords(arg)
		if words == nil {
			return p.starts(interpreter)
		}
		target, err := p.find(words[0])
		if err != nil {
			return err
		}
		at, argv = target, instead(words, at, argv)
		p.v.Command, p.v.Argv = at, argv
	}
	return &CommandError{at, ErrNotExecutable, unix.ELOOP}
}

// instead are the arguments of an interpreter that gets a script, by execve(2): the script's own name gives way to its path.
func instead(words []string, script string, argv []string) []string {
	return append(append(words[:len(words):len(words)], script), argv[1:]...)
}

func (p *planner) starts(at string) error {
	var err error = ErrStarts
	if at != p.v.Command {
		err = &StarterError{at}
	}
	return &os.PathError{Op: "exec", Path: p.v.Command, Err: err}
}

// isStarter reports whether a program of this name is of no use without starting others.
func isStarter(name string) bool {
	switch name {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "csh", "tcsh",
		"npx", "npm", "npx-cli.js", "npm-cli.js", "pnpm", "pnpx", "yarn", "yarnpkg", "corepack", "bunx",
		"uvx", "uv", "pipx", "poetry", "hatch",
		"env", "nice", "nohup", "setsid", "stdbuf", "timeout", "xargs":
		return true
	}
	return false
}

// envWords is what env(1) executes with this one argument of a first line, and nil where it would do more than that.
func envWords(arg string) []string {
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
