package platform

import (
	"errors"
	"slices"
	"strconv"
	"strings"
)

// A Mount is one line of /proc/PID/mountinfo; proc_pid_mountinfo(5).
type Mount struct {
	ID          uint64 // as STATX_MNT_ID of statx(2) tells it
	Parent      uint64 // of the mount that it lies on
	Dev         string // of the file system: "major:minor"
	Root        string // of the file system, what is mounted
	Path        string // where, seen from the process's root
	Options     string // of this mount, such as "ro,nosuid,nodev,relatime"
	Propagation string // "shared:1 master:2", or empty where the mount is private
	Type        string
	Super       string // options of the file system
}

// Number is Dev as statx(2) would split it, major<<32 | minor; 0 if it is no such thing.
func (m *Mount) Number() uint64 {
	major, minor, _ := strings.Cut(m.Dev, ":")
	a, err1 := strconv.ParseUint(major, 10, 32)
	b, err2 := strconv.ParseUint(minor, 10, 32)
	if err1 != nil || err2 != nil {
		return 0
	}
	return a<<32 | b
}

// Has reports whether one of the mount's own options is o.
func (m *Mount) Has(o string) bool { return hasWord(m.Options, o) }

// HasSuper reports whether one of the file system's options is o.
func (m *Mount) HasSuper(o string) bool { return hasWord(m.Super, o) }

func hasWord(list, word string) bool {
	for len(list) > 0 {
		w, rest, _ := strings.Cut(list, ",")
		if w == word {
			return true
		}
		list = rest
	}
	return false
}

// ErrMountinfo is the error of a table that is not as proc_pid_mountinfo(5) says.
var ErrMountinfo = errors.New("mountinfo: a line is not as proc_pid_mountinfo(5) says")

// ParseMountinfo reads a whole table, in its order: a mount comes after the one it lies on.
func ParseMountinfo(b []byte) ([]Mount, error) {
	s := string(b)
	mounts := make([]Mount, 0, strings.Count(s, "\n"))
	for len(s) > 0 {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok {
			return nil, ErrMountinfo // cut short
		}
		s = rest
		m, ok := parseMount(line)
		if !ok {
			return nil, ErrMountinfo
		}
		mounts = append(mounts, m)
	}
	return mounts, nil
}

// parseMount reads: id parent major:minor root path options [optional...] - type source super
func parseMount(line string) (m Mount, ok bool) {
	head, tail, ok := strings.Cut(line, " - ")
	f := strings.SplitN(head, " ", 7)
	if !ok || len(f) < 6 || slices.Contains(f[:6], "") {
		return m, false
	}
	id, err1 := strconv.ParseUint(f[0], 10, 64)
	parent, err2 := strconv.ParseUint(f[1], 10, 64)
	m = Mount{ID: id, Parent: parent, Dev: f[2], Root: unescape(f[3]), Path: unescape(f[4]), Options: f[5]}
	m.Propagation = strings.Join(f[6:], "")
	m.Type, tail, ok = strings.Cut(tail, " ")
	_, m.Super, _ = strings.Cut(tail, " ")
	return m, ok && m.Type != "" && err1 == nil && err2 == nil
}

// unescape undoes the kernel's octal escapes of space, tab, newline and backslash.
func unescape(s string) string {
	i := strings.IndexByte(s, '\\')
	if i < 0 {
		return s
	}
	b := append(make([]byte, 0, len(s)), s[:i]...)
	for ; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && octal(s[i+1]) && octal(s[i+2]) && octal(s[i+3]) {
			b = append(b, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

func octal(c byte) bool { return '0' <= c && c <= '7' }
