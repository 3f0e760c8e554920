package fsview

import (
	"os"
	"path"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/toolchain"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"golang.org/x/sys/unix"
)

// singleExec makes the command one that a single execve starts. The kernel follows the first lines of scripts within
// one call, but env(1) makes another, so env's program is executed directly. A shell or a package runner is refused:
// only its first child would fail.
func (c *command) singleExec() error {
	at, argv := c.view.Command, c.view.Argv
	for range 2 * maxScripts {
		r, err := c.lookups.resolve(at)
		if err != nil {
			return commandError(at, err)
		}
		if runtimes.Starts(baseOf(at)) || runtimes.Starts(baseOf(r.path)) {
			return c.refuseStarter(at)
		}
		interpreter, arg, script := c.head(r.path)
		if !script {
			return nil
		}
		interpreter = path.Clean(interpreter)
		if baseOf(interpreter) != "env" {
			words := []string{interpreter}
			if arg != "" {
				words = append(words, arg)
			}
			at, argv = interpreter, scriptArgv(words, at, argv)
			continue
		}
		words := toolchain.EnvWords(arg)
		if words == nil {
			return c.refuseStarter(interpreter)
		}
		target, err := c.find(words[0])
		if err != nil {
			return err
		}
		at, argv = target, scriptArgv(words, at, argv)
		c.view.Command, c.view.Argv = at, argv
	}
	return &CommandError{at, ErrNotExecutable, unix.ELOOP}
}

// scriptArgv are the arguments of an interpreter that gets a script, by execve(2): the script's own name gives way to
// its path.
func scriptArgv(words []string, script string, argv []string) []string {
	return append(append(words[:len(words):len(words)], script), argv[1:]...)
}

func (c *command) refuseStarter(at string) error {
	var err error = ErrStarts
	if at != c.view.Command {
		err = &detail{ErrStarts, "is run by " + at + ", which " + string(ErrStarts), nil}
	}
	return &os.PathError{Op: "exec", Path: c.view.Command, Err: err}
}
