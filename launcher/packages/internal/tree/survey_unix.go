//go:build darwin || linux

package tree

import (
	"crypto/sha256"
	"os"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"golang.org/x/sys/unix"
)

// A Request has the parameters of [Survey].
type Request struct {
	Owner   int      // the user that wrote the folder, beside this one
	Outside []string // targets of links that are right although they lead out of the folder
	Own     string   // a name that no package may have
	Most    int      // names; 0: [MostEntries]
	Text    int      // bytes of paths and of targets of links; 0: 64 MiB
}

// A Found is the contents of a folder.
type Found struct {
	Entries []Entry // in the order of a walk
	Bytes   int64   // on the disk
}

// Survey reads a folder that strangers filled, and refuses all that no package needs: entries that are no file, folder
// or link, links that lead out, files with a name elsewhere, files of others, and more than the bounds. Of the folders
// that this user may not read the modes are changed, for a folder has no other name; nothing else is changed.
func Survey(top int, r Request) (*Found, error) {
	var st unix.Stat_t
	if err := unix.Fstat(top, &st); err != nil {
		return nil, err
	}
	s := surveyor{Request: r, dev: uint64(st.Dev), me: os.Geteuid(), names: map[uint64]*named{}}
	if r.Most == 0 {
		r.Most = MostEntries
	}
	if s.Text == 0 {
		s.Text = mostText
	}
	w := newWalker(r.Most, s.visit)
	w.enter = folder.OpenAny
	err := rewind(top)
	if err == nil {
		err = w.walk(top, "", 0)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.found.Entries {
		if e := &s.found.Entries[i]; e.Kind == Link {
			s.links = append(s.links, *e)
		}
	}
	if path := Escaping(s.links, r.Outside); path != "" {
		for i := range s.links {
			if s.links[i].Path == path {
				return nil, &Refused{path, "is a link out of the package: to " + strconv.Quote(s.links[i].Target)}
			}
		}
	}
	for _, n := range s.names {
		if n.seen < n.all {
			return nil, &Refused{n.path, "has another name (a hard link) outside of the package"}
		}
	}
	return &s.found, nil
}

type named struct {
	path      string
	seen, all uint64
}

type surveyor struct {
	Request
	found Found
	links []Entry
	names map[uint64]*named // of files with several, by inode
	dev   uint64
	me    int
	bytes int64
	text  int // bytes of names
}

func (s *surveyor) visit(at int, name, path string, st *unix.Stat_t) error {
	e := Entry{Path: path}
	reason := s.reason(path, st)
	if reason != "" {
		return &Refused{path, reason}
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		e.Kind, e.Mode = Folder, 0o555
	case unix.S_IFREG:
		e.Kind, e.Mode, e.Size = File, 0o444, st.Size
		if st.Mode&0o111 != 0 {
			e.Mode = 0o555
		}
		if st.Nlink > 1 {
			s.count(path, st)
		}
	case unix.S_IFLNK:
		target, err := readLink(at, name)
		if err != nil {
			return &os.PathError{Op: "readlink", Path: path, Err: err}
		}
		e.Kind, e.Target = Link, target
	default:
		return &Refused{path, "is " + kindOf(uint32(st.Mode)) + ", which no package needs"}
	}
	if s.text += len(e.Path) + len(e.Target); s.text > s.Text {
		return &Refused{"", "the paths of the package's files are too long together"}
	}
	s.found.Bytes += st.Blocks * 512
	s.found.Entries = append(s.found.Entries, e)
	return nil
}

func (s *surveyor) reason(path string, st *unix.Stat_t) string {
	owner := int(st.Uid)
	switch {
	case path == s.Own:
		return "is a name that mcp-sandbox keeps for itself"
	case len(path) > mostPath:
		return "has a path of more than 4,000 bytes"
	case uint64(st.Dev) != s.dev:
		return "is on another file system"
	case owner != s.me && owner != s.Owner:
		return "belongs to user " + strconv.Itoa(owner)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		if s.bytes += st.Size; st.Size > mostBytes || s.bytes > mostBytes {
			return "makes the package larger than 64 GiB"
		}
	}
	return ""
}

func (s *surveyor) count(path string, st *unix.Stat_t) {
	n := s.names[st.Ino]
	if n == nil {
		n = &named{path: path, all: uint64(st.Nlink)}
		s.names[st.Ino] = n
	}
	n.seen++
}

func kindOf(mode uint32) string {
	switch mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "a named pipe"
	case unix.S_IFSOCK:
		return "a socket"
	default:
		return "a device"
	}
}

func readLink(at int, name string) (string, error) {
	b := make([]byte, 4097)
	n, err := unix.Readlinkat(at, name, b)
	if err == nil && n == len(b) {
		err = unix.ENAMETOOLONG
	}
	return string(b[:max(n, 0)]), err
}

// A summer reads files.
type summer struct {
	buf  []byte
	stop func() error // asked after each buffer; nil: never
}

// of is the sha256 of an open file.
func (s *summer) of(fd int, size int64) (sum [32]byte, err error) {
	h := sha256.New()
	for size >= 0 {
		if s.stop != nil {
			if err := s.stop(); err != nil {
				return sum, err
			}
		}
		n, err := unix.Read(fd, s.buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return sum, err
		}
		if n == 0 {
			break
		}
		size -= int64(n)
		h.Write(s.buf[:n])
	}
	h.Sum(sum[:0])
	return sum, nil
}
