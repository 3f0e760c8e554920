package fsview

import (
	"path"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// find is the command's absolute path as it is named: by the launcher's folder if there is a slash in it, else in the
// server's PATH.
func (c *command) find(name string) (string, error) {
	if !strings.Contains(name, "/") {
		return c.inPath(name)
	}
	at := name
	if at[0] != '/' {
		at = join(c.request.Dir, at)
	}
	if path.Clean(at) == at {
		return at, nil
	}
	// The folders that ".." leaves again may not exist inside.
	i := strings.LastIndexByte(at, '/')
	if base := at[i+1:]; base == "" || base == "." || base == ".." {
		return "", &CommandError{name, ErrNotExecutable, unix.EISDIR}
	}
	r, err := c.lookups.resolve(at[:i+1])
	if err != nil {
		return "", commandError(name, err)
	}
	return join(r.path, at[i+1:]), nil
}

// inPath looks for a name in PATH. A file without the right to execute is passed over, as by execvp.
func (c *command) inPath(name string) (string, error) {
	failed, names := &CommandError{Path: name, Kind: ErrNotFound}, 0
	for folder := range strings.SplitSeq(order.Lookup(c.request.Env, "PATH"), ":") {
		if folder == "" || folder[0] != '/' {
			continue
		}
		at := join(path.Clean(folder), name)
		r, err := c.lookups.resolve(at)
		if names += r.names; names > maxOnTheWay {
			break
		}
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
