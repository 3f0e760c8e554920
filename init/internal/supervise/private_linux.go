package supervise

import (
	"os"
	"path/filepath"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/view"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// private is the folder that stands for /tmp and the home where there is no tmpfs of the sandbox's own. It is locked for
// as long as the shim or init lives: one that nobody has locked is a dead launcher's.
//
//	NAME/       the launcher's; the server may pass through and no more
//	  file      what Landlock's proof opens
//	  home tmp  the server's
type private struct {
	fd   int // of NAME; -1 if there is none
	path string
}

const privatePrefix = "mcp-sandbox-"

// openPrivate makes the folder in the first place that serves. What is left there of dead launchers goes first.
func (s *shim) openPrivate() error {
	var tried nowhere
	for _, base := range bases() {
		p, err := s.privateIn(base)
		if err != nil {
			tried.add(base, err)
			continue
		}
		s.private = p
		sweepPrivate(base)
		return nil
	}
	tried.uid = s.machine.UID
	return &order.Refusal{Layer: order.Root, Op: opPrivate, Path: tried.where, Err: &tried}
}

// privateIn makes the folder in base, and the server's what is for the server.
func (s *shim) privateIn(base string) (p private, err error) {
	p.fd = -1
	if !filepath.IsAbs(base) {
		return p, unkept("it is not absolute")
	}
	if s.machine.Root {
		if err = passable(base); err != nil {
			return p, err
		}
	}
	swapped := s.rung == policy.Reduced // where rights follow the inode, and whoever swaps the folder gains nothing
	p, err = makePrivate(base, swapped)
	// Another launcher's sweep may have come upon it before it was locked.
	for again := 0; again < 10 && (err == unix.EWOULDBLOCK || err == unix.ENOENT); again++ {
		p, err = makePrivate(base, swapped)
	}
	if err == nil && s.machine.Root {
		if err = p.give(s.machine.UID, s.machine.GID); err != nil {
			p.remove(within(forEmpty, s.asks))
		}
	}
	return p, err
}

// makePrivate makes the folder in base, where others may write too: a new name that nobody can guess, looked at through
// its descriptor, and nothing in it made by path.
func makePrivate(base string, swapped bool) (p private, err error) {
	p.fd = -1
	defer unix.Umask(unix.Umask(0o077)) // or its maker could not enter it
	var r [16]byte
	if _, err = unix.Getrandom(r[:], 0); err != nil {
		return p, err
	}
	const digits = "0123456789abcdef"
	name := []byte(privatePrefix)
	for _, c := range r {
		name = append(name, digits[c>>4], digits[c&15])
	}
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return p, err
	}
	dir, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return p, &os.PathError{Op: "open", Path: base, Err: err}
	}
	defer unix.Close(dir)
	if err = keeps(dir, swapped); err != nil {
		return p, err
	}
	if err = unix.Mkdirat(dir, string(name), 0o700); err != nil {
		return p, err
	}
	p.path = base + "/" + string(name)
	p.fd, err = unix.Openat(dir, string(name), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Flock(p.fd, unix.LOCK_EX|unix.LOCK_NB)
	}
	for _, sub := range [...]string{view.PrivateHome, view.PrivateTmp} {
		if err == nil {
			err = unix.Mkdirat(p.fd, sub, 0o700)
		}
	}
	if err == nil {
		err = unix.Mknodat(p.fd, rows.CanaryFile, unix.S_IFREG|0o644, 0)
	}
	if err != nil && p.fd < 0 {
		unix.Unlinkat(dir, string(name), unix.AT_REMOVEDIR)
	}
	if err != nil {
		p.remove(within(forEmpty, -1))
	}
	return p, err
}

// give makes the server's folders its user's, who may pass through the launcher's.
func (p *private) give(uid, gid int) error {
	if err := unix.Fchmod(p.fd, 0o711); err != nil {
		return err
	}
	for _, sub := range [...]string{view.PrivateHome, view.PrivateTmp} {
		if err := unix.Fchownat(p.fd, sub, uid, gid, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
	}
	return unix.Fchmodat(p.fd, rows.CanaryFile, 0o644, 0)
}

// remove takes the folder away with all that is in it, unless that takes too long. Nobody may live any more who could write to it. The init of a root
// launcher, which is another user, can only empty what is the server's; the next launch does the rest.
func (p *private) remove(over func() bool) {
	if p.fd < 0 {
		return
	}
	for _, sub := range [...]string{view.PrivateHome, view.PrivateTmp} {
		unlock(p.fd, sub)
		if fd, err := unix.Openat(p.fd, sub, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			empty(fd, over)
			unix.Close(fd)
		}
	}
	empty(p.fd, over)
	unix.Close(p.fd)
	p.fd = -1
	unix.Rmdir(p.path) // only if it is empty: nothing that somebody put in its place
}

// sweepPrivate removes what launchers left that were killed together with their init.
func sweepPrivate(base string) {
	names, _ := list(base)
	over := within(forOthers, -1)
	for _, name := range names {
		if len(name) != len(privatePrefix)+32 || name[:len(privatePrefix)] != privatePrefix {
			continue
		}
		path := base + "/" + name
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		var st unix.Stat_t
		p := private{fd: fd, path: path}
		if unix.Fstat(fd, &st) == nil && int(st.Uid) == unix.Geteuid() && unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == nil {
			p.remove(over)
		} else {
			unix.Close(fd)
		}
	}
}
