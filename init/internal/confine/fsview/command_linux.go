package fsview

import (
	"errors"
	"os"
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview/toolchain"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// maxScripts is how many interpreters may be scripts themselves; execve(2) has the same bound.
const maxScripts = 4

// A command is the work on the file that the server executes first.
type command struct{ toolchains }

// add finds the command, and shows the command's file and its requirements.
func (c *command) add() {
	argv := c.request.Command
	if len(argv) == 0 || argv[0] == "" {
		c.fail(&CommandError{Kind: ErrNotFound})
		return
	}
	at, err := c.find(argv[0])
	c.view.Command, c.view.Argv = at, argv
	if err == nil {
		err = c.showExecutable(at, 0)
	}
	if err == nil && c.request.Policy.Subprocess.Allow == policy.No {
		err = c.singleExec()
	}
	c.fail(err)
}

func commandError(name string, err error) error {
	if missing(err) {
		return &CommandError{Path: name, Kind: ErrNotFound}
	}
	return &CommandError{name, ErrNotExecutable, err}
}

// showExecutable shows one file that will be executed, its prefix, and its interpreter where it is a script.
func (c *command) showExecutable(at string, depth int) error {
	r, err := c.lookups.resolve(at)
	if err == nil {
		err = executable(&r)
	}
	if err != nil {
		return commandError(at, err)
	}
	if err := c.allowLink(&r, false); err != nil {
		return &os.PathError{Op: "exec", Path: at, Err: err}
	}
	c.imply(&r)
	c.prefixes(at, &r)
	if !c.points.access(r.path).read {
		return &CommandError{at, ErrNotExecutable, ErrNotVisible}
	}
	interpreter, arg, script := c.head(r.path)
	need := uint32(unix.X_OK)
	if script {
		need |= unix.R_OK // its interpreter opens it
	}
	if c.request.Root && !c.request.may(&r.entry, r.path, need) {
		return &os.PathError{Op: "exec", Path: at, Err: c.request.denied()}
	}
	if !script {
		return nil
	}
	if toolchain.EndsInCR(interpreter, arg) {
		return &CommandError{at, ErrNotExecutable, ErrReturn}
	}
	if err := c.interpreter(&r, interpreter, arg, depth+1); err != nil {
		var inner *CommandError
		if errors.As(err, &inner) {
			return &CommandError{at, inner.Kind, err}
		}
		return err
	}
	return nil
}

func (c *command) head(path string) (interpreter, arg string, script bool) {
	b, err := c.lookups.read(path, toolchain.ScriptHead)
	if err != nil {
		return "", "", false // execute only: no script could run
	}
	return toolchain.Shebang(b)
}

// interpreter shows the program that a script's first line names; for env(1) also env's program.
func (c *command) interpreter(script *resolved, at, arg string, depth int) error {
	if depth > maxScripts {
		return &CommandError{at, ErrNotExecutable, unix.ELOOP}
	}
	if at == "" || at[0] != '/' {
		return &CommandError{at, ErrNotExecutable, unix.ENOEXEC}
	}
	at = path.Clean(at)
	if err := c.checkNamed(script, at); err != nil {
		return err
	}
	if err := c.showExecutable(at, depth); err != nil {
		return err
	}
	name := toolchain.EnvTarget(arg)
	if baseOf(at) != "env" || name == "" {
		return nil
	}
	target, err := c.find(name)
	if err != nil {
		return err
	}
	if strings.Contains(name, "/") || !runtimes.Interprets(name) {
		if err := c.checkNamed(script, target); err != nil {
			return err
		}
	}
	return c.showExecutable(target, depth)
}

// checkNamed refuses the interpreter that a script of strangers names by its path, if that would show more than is
// visible anyway: a first line is as good as a link.
func (c *command) checkNamed(script *resolved, at string) error {
	if !isForeign(c.tree, script.path) {
		return nil
	}
	r, err := c.lookups.resolve(at)
	if err != nil || c.points.access(r.path).read || stored(r.path) {
		return nil
	}
	kind := ErrLink
	if !c.inWriteGrant(script.path) {
		kind = ErrFirstLine
	}
	return &os.PathError{Op: "exec", Path: script.path, Err: linkError(kind, script.path, r.path)}
}
