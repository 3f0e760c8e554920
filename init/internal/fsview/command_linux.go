package fsview

import (
	"errors"
	"os"
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// maxScripts is how many interpreters may be scripts themselves; execve(2) has the same bound.
const maxScripts = 4

// command finds the command, and shows it and what it needs to start.
func (p *planner) command() error {
	if len(p.r.Command) == 0 || p.r.Command[0] == "" {
		return &CommandError{Kind: ErrNotFound}
	}
	p.v.Argv = p.r.Command
	at, err := p.find(p.r.Command[0])
	if err != nil {
		return err
	}
	p.v.Command = at
	if err := p.program(at, 0); err != nil {
		return err
	}
	if p.r.Policy.Subprocess.Allow == policy.No {
		return p.once()
	}
	return nil
}

func commandError(name string, err error) error {
	if missing(err) {
		return &CommandError{Path: name, Kind: ErrNotFound}
	}
	return &CommandError{name, ErrNotExecutable, err}
}

// program shows one file that will be executed, its prefix, and its interpreter where it is a script.
func (p *planner) program(at string, depth int) error {
	r, err := p.host.resolve(at)
	if err == nil {
		err = executable(&r)
	}
	if err != nil {
		return commandError(at, err)
	}
	if err := p.trust(&r, false); err != nil {
		return &os.PathError{Op: "exec", Path: at, Err: err}
	}
	p.imply(&r)
	p.prefixes(at, &r)
	if !p.points.access(r.path).read {
		return &CommandError{at, ErrNotExecutable, ErrNotVisible}
	}
	interpreter, arg, script := p.head(r.path)
	if p.r.Root && !p.may(&r.entry, r.path, programNeeds(script)) {
		return &os.PathError{Op: "exec", Path: at, Err: &IDError{p.r.UID, p.r.GID}}
	}
	if !script {
		return nil
	}
	if returns(interpreter, arg) {
		return &CommandError{at, ErrNotExecutable, ErrReturn}
	}
	if err := p.interpreter(&r, interpreter, arg, depth+1); err != nil {
		var c *CommandError
		if errors.As(err, &c) {
			return &CommandError{at, c.Kind, err}
		}
		return err
	}
	return nil
}

func programNeeds(script bool) uint32 {
	if script {
		return 5 // its interpreter opens it
	}
	return 1
}

func (p *planner) head(path string) (interpreter, arg string, script bool) {
	b, err := p.host.read(path, scriptHead)
	if err != nil {
		return "", "", false // execute only: no script could run
	}
	return shebang(b)
}

// interpreter shows what a script's first line names; of env(1) also what env will start.
func (p *planner) interpreter(script *resolved, at, arg string, depth int) error {
	if depth > maxScripts {
		return &CommandError{at, ErrNotExecutable, unix.ELOOP}
	}
	if at == "" || at[0] != '/' {
		return &CommandError{at, ErrNotExecutable, unix.ENOEXEC}
	}
	at = path.Clean(at)
	if err := p.named(script, at); err != nil {
		return err
	}
	if err := p.program(at, depth); err != nil {
		return err
	}
	name := envTarget(arg)
	if baseOf(at) != "env" || name == "" {
		return nil
	}
	target, err := p.find(name)
	if err != nil {
		return err
	}
	if strings.Contains(name, "/") || !interpreting(name) {
		if err := p.named(script, target); err != nil {
			return err
		}
	}
	return p.program(target, depth)
}

// named refuses what a script inside a write grant names by its path, if that would show more than is visible anyway:
// a first line is as good as a link.
func (p *planner) named(script *resolved, at string) error {
	if !p.written(script.path) {
		return nil
	}
	r, err := p.host.resolve(at)
	if err != nil || p.points.access(r.path).read || isStored(r.path) {
		return nil
	}
	return &os.PathError{Op: "exec", Path: script.path, Err: &LinkError{ErrLink, script.path, r.path}}
}
