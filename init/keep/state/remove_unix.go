//go:build darwin || linux

package state

import (
	"errors"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// Remove removes a state that no launch uses. The error of a part that stays is a *[Left].
func Remove(name string) error {
	root, at, err := openRoot(false)
	if errors.Is(err, unix.ENOENT) {
		return ErrNone
	}
	if err != nil {
		return err
	}
	defer unix.Close(root)
	var st unix.Stat_t
	if unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW) == unix.ENOENT {
		return ErrNone
	}
	held, err := lock(root, name, unix.LOCK_EX)
	if err == unix.EWOULDBLOCK {
		return ErrInUse
	}
	if err != nil {
		return &os.PathError{Op: "lock", Path: at + "/" + name, Err: err}
	}
	defer unix.Close(held)
	if err = removeTree(root, name, at+"/"+name); err != nil {
		return err
	}
	return unix.Unlinkat(root, "."+name, 0)
}

// removeTree removes a folder with all that is in it.
func removeTree(root int, name, at string) error {
	fd, err := folder.OpenAny(root, name)
	if err != nil {
		return &os.PathError{Op: "open", Path: at, Err: err}
	}
	defer unix.Close(fd)
	unix.Fchmod(fd, 0o700)
	folder.Empty(fd, func() bool { return false })
	if err = unix.Unlinkat(root, name, unix.AT_REMOVEDIR); err == nil {
		return nil
	}
	left := &Left{Err: err}
	folder.Each(fd, func(in string) bool {
		if err := unix.Unlinkat(fd, in, 0); err != nil && len(left.Paths) == 0 && err != unix.EISDIR {
			left.Err = err
		}
		left.Paths = append(left.Paths, at+"/"+in)
		return len(left.Paths) < mostLeft
	})
	return left
}

// List tells all states, by their names.
func List() ([]Info, error) {
	root, at, err := openRoot(false)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	var all []Info
	eachState(root, func(name string, st unix.Stat_t) {
		var lock unix.Stat_t
		if unix.Fstatat(root, "."+name, &lock, unix.AT_SYMLINK_NOFOLLOW) != nil {
			lock = st
		}
		c := count{names: mostNames}
		c.add(root, name, 0)
		sec, nsec := lock.Mtim.Unix()
		all = append(all, Info{Name: name, Path: at + "/" + name, Bytes: c.bytes, Used: time.Unix(sec, nsec).UTC()})
	})
	return sorted(all), nil
}

// Names are the names of all states, sorted. No state is entered: List takes long where states are large.
func Names() (all []string, err error) {
	root, _, err := openRoot(false)
	if errors.Is(err, unix.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer unix.Close(root)
	eachState(root, func(name string, _ unix.Stat_t) { all = append(all, name) })
	slices.Sort(all)
	return all, nil
}

// eachState calls do for the folder of each state.
func eachState(root int, do func(name string, st unix.Stat_t)) {
	folder.Each(root, func(name string) bool {
		var st unix.Stat_t
		if policy.CheckState(name) == nil && unix.Fstatat(root, name, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
			st.Mode&unix.S_IFMT == unix.S_IFDIR {
			do(name, st)
		}
		return true
	})
}

// A count adds up the space of a tree on the disk. Nothing is changed: a folder that cannot be entered counts as it is.
type count struct {
	bytes int64
	names int // that may still be looked at
}

func (c *count) add(at int, name string, depth int) {
	var st unix.Stat_t
	if c.names--; c.names < 0 || unix.Fstatat(at, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return
	}
	c.bytes += st.Blocks * 512
	if st.Mode&unix.S_IFMT != unix.S_IFDIR || depth == mostDepth {
		return
	}
	fd, err := folder.Open(at, name)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	folder.Each(fd, func(in string) bool {
		c.add(fd, in, depth+1)
		return c.names > 0
	})
}
