//go:build darwin || linux

package tree

import (
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// Compare reads all of a folder, and says where it differs from a list: at most so many times. own is a file of the
// folder that is not in the list.
func Compare(folder int, list []Entry, own string, most int) ([]Difference, error) {
	c := comparer{list: list, own: own, most: most, at: make(map[string]int, len(list)), met: make([]bool, len(list)),
		me: os.Geteuid(), sums: summer{buf: make([]byte, 256<<10)}}
	for i := range list {
		c.at[list[i].Path] = i
	}
	err := rewind(folder)
	if err == nil {
		err = newWalker(len(list)+1+most, c.visit).walk(folder, "", 0)
	}
	var refused *Refused
	switch {
	case errors.Is(err, errEnough):
		return c.found, nil
	case errors.As(err, &refused):
		c.add(refused.Path, refused.Reason)
	case err != nil:
		var at *os.PathError
		if !errors.As(err, &at) {
			return nil, err
		}
		c.add(at.Path, "cannot be read ("+at.Err.Error()+")")
	}
	for i := range list {
		if !c.met[i] {
			c.add(list[i].Path, "is missing")
		}
	}
	return c.found, nil
}

// errEnough ends a walk that has found enough.
var errEnough = errors.New("enough")

type comparer struct {
	list  []Entry
	own   string
	most  int
	at    map[string]int
	met   []bool
	me    int
	sums  summer
	found []Difference
}

func (c *comparer) add(path, what string) error {
	if len(c.found) < c.most {
		c.found = append(c.found, Difference{path, what})
	}
	if len(c.found) == c.most {
		return errEnough
	}
	return nil
}

func (c *comparer) visit(at int, name, path string, st *unix.Stat_t) error {
	e := Entry{Path: path, Kind: File, Mode: 0o444, Size: st.Size}
	i, listed := c.at[path]
	if listed {
		e = c.list[i]
		c.met[i] = true
	} else if path != c.own {
		return c.add(path, "was added")
	}
	what := c.differs(at, name, &e, st)
	if what == "" && listed && e.Kind == File {
		sum, err := c.sum(at, name, e.Size)
		switch {
		case err != nil:
			what = "cannot be read (" + err.Error() + ")"
		case sum != e.Sum:
			what = "has another content"
		}
	}
	if what != "" {
		return c.add(path, what)
	}
	return nil
}

func (c *comparer) differs(at int, name string, e *Entry, st *unix.Stat_t) string {
	kinds := map[Kind]uint32{Folder: unix.S_IFDIR, File: unix.S_IFREG, Link: unix.S_IFLNK}
	mode := uint32(st.Mode)
	switch {
	case mode&unix.S_IFMT != kinds[e.Kind]:
		return "is of another kind"
	case int(st.Uid) != c.me:
		return "belongs to user " + strconv.Itoa(int(st.Uid))
	case e.Kind == Link:
		if target, err := readLink(at, name); err != nil || target != e.Target {
			return "leads elsewhere"
		}
	case mode&0o7777 != e.Mode:
		return "has the mode " + strconv.FormatUint(uint64(mode&0o7777), 8)
	case e.Kind == File && st.Size != e.Size:
		return "has another size"
	}
	return ""
}

func (c *comparer) sum(at int, name string, size int64) (sum [32]byte, err error) {
	fd, err := unix.Openat(at, name, openFile, 0)
	if err != nil {
		return sum, err
	}
	defer unix.Close(fd)
	return c.sums.of(fd, size)
}
