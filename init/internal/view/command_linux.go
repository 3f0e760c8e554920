package view

import (
	"errors"
	"os"
	"path"
	"strings"

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
	return p.program(at, 0)
}

// find is the command's absolute path as it is named: by the launcher's folder if there is a slash in it, else in the
// server's PATH.
func (p *planner) find(name string) (string, error) {
	if !strings.Contains(name, "/") {
		return p.inPath(name)
	}
	at := name
	if at[0] != '/' {
		at = join(p.r.Dir, at)
	}
	if path.Clean(at) == at {
		return at, nil
	}
	// The folders that ".." leaves again may not exist inside.
	i := strings.LastIndexByte(at, '/')
	if base := at[i+1:]; base == "" || base == "." || base == ".." {
		return "", &CommandError{name, ErrNotExecutable, unix.EISDIR}
	}
	r, err := p.host.resolve(at[:i+1])
	if err != nil {
		return "", commandError(name, err)
	}
	return join(r.path, at[i+1:]), nil
}

// inPath looks for a name in PATH. What lies there but cannot be executed is passed over, as execvp does.
func (p *planner) inPath(name string) (string, error) {
	failed := &CommandError{Path: name, Kind: ErrNotFound}
	for rest := lookup(p.r.Env, "PATH"); rest != ""; {
		var folder string
		folder, rest, _ = strings.Cut(rest, ":")
		if folder == "" || folder[0] != '/' {
			continue
		}
		at := join(path.Clean(folder), name)
		r, err := p.host.resolve(at)
		if err != nil {
			continue
		}
		if err := executable(&r); err != nil {
			failed = &CommandError{at, ErrNotExecutable, err}
			continue
		}
		return at, nil
	}
	return "", failed
}

// executable asks the kernel, so that access lists and mounts without execution are seen as well.
func executable(r *resolved) error {
	switch {
	case r.entry.is(typeFolder):
		return unix.EISDIR
	case !r.entry.is(typeFile) || r.entry.mode&0o111 == 0:
		return unix.EACCES
	}
	return unix.Faccessat(unix.AT_FDCWD, r.path, unix.X_OK, unix.AT_EACCESS)
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
	if err := p.interpreter(interpreter, arg, depth+1); err != nil {
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
	b, err := read(path, scriptHead)
	if err != nil {
		return "", "", false // execute only: no script could run
	}
	return shebang(b)
}

// interpreter shows what a script's first line names; of env(1) also what env will start.
func (p *planner) interpreter(at, arg string, depth int) error {
	if depth > maxScripts {
		return &CommandError{at, ErrNotExecutable, unix.ELOOP}
	}
	if at == "" || at[0] != '/' {
		return &CommandError{at, ErrNotExecutable, unix.ENOEXEC}
	}
	at = path.Clean(at)
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
	return p.program(target, depth)
}
