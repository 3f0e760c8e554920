package missed

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
)

// A field is a part of what a call stores.
type field struct {
	name string
	at   int
	size int
}

// What struct statx, siginfo and their like hold; the man page of each call.
var (
	statxFields = []field{{"mask", 0, 4}, {"blksize", 4, 4}, {"attributes", 8, 8}, {"nlink", 16, 4}, {"uid", 20, 4}, {"gid", 24, 4},
		{"mode", 28, 2}, {"ino", 32, 8}, {"size", 40, 8}, {"blocks", 48, 8}, {"attributes_mask", 56, 8}, {"times", 64, 16}, {"times", 80, 16},
		{"times", 96, 16}, {"times", 112, 16}, {"rdev", 128, 8}, {"dev_major", 136, 4}, {"dev_minor", 140, 4}, {"mnt_id", 144, 8}}
	capFields    = []field{{"effective", 0, 4}, {"permitted", 4, 4}, {"inheritable", 8, 4}, {"effective high", 12, 4}, {"permitted high", 16, 4}, {"inheritable high", 20, 4}}
	limitFields  = []field{{"soft", 0, 8}, {"hard", 8, 8}}
	statfsFields = []field{{"type", 0, 8}, {"bsize", 8, 8}, {"blocks", 16, 8}, {"bfree", 24, 8}, {"bavail", 32, 8}, {"files", 40, 8}, {"ffree", 48, 8}, {"rest", 56, 64}}
	word         = []field{{"value", 0, 4}}
	address4     = []field{{"family", 0, 2}, {"port", 2, 2}, {"address", 4, 4}}
	address6     = []field{{"family", 0, 2}, {"port", 2, 2}, {"flow", 4, 4}, {"address", 8, 16}, {"scope", 24, 4}}
	ifFlags      = []field{{"flags", 16, 2}}
	infoFields   = []field{{"signo", 0, 4}, {"errno", 4, 4}, {"code", 8, 4}, {"pid", 16, 4}, {"uid", 20, 4}, {"status", 24, 4}}
)

// A stored says which argument of a call leads to what it stores, and what that is.
type stored struct {
	arg    int
	fields []field
}

// answers are the calls that look. What has no fields is text, as long as the result says.
var answers = map[string][]stored{
	"statx": {{4, statxFields}}, "prctl": {{1, word}}, "capget": {{1, capFields}}, "prlimit64": {{3, limitFields}},
	"getresuid": {{0, word}, {1, word}, {2, word}}, "getresgid": {{0, word}, {1, word}, {2, word}}, "waitid": {{2, infoFields}},
	"statfs": {{1, statfsFields}}, "getsockopt": {{3, word}}, "socketpair": {{3, []field{{"descriptor", 0, 8}}}}, "readlinkat": {{2, nil}}, "read": {{1, nil}}, "pread64": {{1, nil}}, "getcwd": {{0, nil}}, "getdents64": {{1, nil}}, "recvfrom": {{1, nil}},
}

// silent are the calls that look, or apply something, and store nothing.
var silent = strings.Fields(`openat fcntl getsid getpid getppid getpgid setsid kill mknodat unlinkat socket connect sendto umask ioctl keyctl truncate execve
	fchmod bind getpeername faccessat2 faccessat getgroups clone capset unshare`)

// answer changes what a call stored.
func (c *changes) answer(i int) {
	name := c.Called(i)
	if c.Class(i) != program.Ask {
		return
	}
	list, known := answers[name]
	if name == "ioctl" && c.Arg(i, 2) > program.Base {
		list = []stored{{2, word}}
		if c.row(i) == "network network" {
			list = []stored{{2, ifFlags}}
		}
	} else if name == "getsockname" {
		list = []stored{{1, address4}}
		if at := program.Addr(c.Arg(i, 1)); c.evidence.Bytes(at, 1)[0] == unix.AF_INET6 {
			list = []stored{{1, address6}}
		}
	} else if !known && !contains(silent, name) {
		c.try("nobody knows what is stored by "+name, c.Line(i, nil))
	}
	for _, s := range list {
		at := program.Addr(c.Arg(i, s.arg))
		switch {
		case c.evidence.Errno(c.Op(i)) != 0 || at < program.Base: // nothing was stored, or a number and no address
		case s.fields == nil:
			c.text(i, c.evidence.Filled(c.Op(i), at))
		default:
			for _, f := range s.fields {
				c.field(i, f, c.evidence.Bytes(at.Plus(f.at), f.size))
			}
		}
	}
}

func contains(list []string, s string) bool {
	for _, v := range list {
		if v == s {
			return true
		}
	}
	return false
}

// field changes each bit of a field, and makes it all zeros and all ones.
func (c *changes) field(i int, f field, b []byte) {
	what := c.name(i) + " stores another " + f.name
	was := bytes.Clone(b)
	for bit := range 8 * len(b) {
		if !strings.HasSuffix(what, "flags") && f.size > 2 && bit%9 != 0 { // of each byte one
			continue
		}
		b[bit/8] ^= 1 << (bit % 8)
		if strings.HasSuffix(what, "flags") && bit == 0 {
			c.try(strings.TrimSuffix(what, "flags")+"IFF_UP", c.Line(i, nil))
		} else {
			c.try(what, c.Line(i, nil)+" bit "+strconv.Itoa(bit))
		}
		b[bit/8] ^= 1 << (bit % 8)
	}
	if strings.HasSuffix(what, "flags") {
		return
	}
	for _, all := range []byte{0, 0xff} {
		if other := bytes.Repeat([]byte{all}, len(b)); !bytes.Equal(other, was) {
			copy(b, other)
			c.try(what, c.Line(i, nil))
		}
	}
	copy(b, was)
	if f.name == "ino" && c.seen(i) == "a namespace" {
		c.own(i, b)
		copy(b, was)
	}
}

// own puts the number of the shim's own namespace there.
func (c *changes) own(i int, b []byte) {
	_, path, _ := strings.Cut(c.Line(i, nil), `"`)
	path, _, _ = strings.Cut(path, `"`)
	var st unix.Stat_t
	if unix.Stat(path, &st) == nil {
		binary.LittleEndian.PutUint64(b, st.Ino)
		c.try(c.row(i)+" is the shim's own namespace", c.Line(i, nil))
	}
}

// text changes what a call stored as it is made: a table of names, messages of rtnetlink(7), or lines.
func (c *changes) text(i int, b []byte) {
	switch c.Called(i) {
	case "getdents64":
		c.entries(i, b)
	case "recvfrom":
		if row := c.row(i); row == "network egressAnswers" || row == "seccomp seccomp" {
			c.lines(i, b)
			return
		}
		c.links(i, b)
	default:
		c.lines(i, b)
	}
}

// lines changes one byte of a text at a time: the name of a line that is free is told.
func (c *changes) lines(i int, b []byte) {
	long := len(b) > 512 // one of the kernel's long lists
	line := ""
	for at, old := range b {
		if at == 0 || b[at-1] == '\n' {
			line, _, _ = strings.Cut(string(b[at:]), "\n")
			line, _, _ = strings.Cut(line, ":")
		} else if long && !strings.HasPrefix(line, "Seccomp") && old != '\n' {
			continue
		}
		what := c.name(i) + " stores another byte"
		if long {
			what = c.name(i) + " stores another line of the list"
			if line == "Seccomp_filters" {
				what = c.name(i) + " stores another count of filters"
			}
		}
		if old == ' ' || old == '\n' || old == '\t' {
			what = c.name(i) + " stores another blank"
		}
		for _, other := range []byte{old + 1, '7', ' '} {
			if other != old {
				b[at] = other
				c.try(what, c.Line(i, nil)+" at "+strconv.Itoa(at))
			}
		}
		b[at] = old
	}
}

// kindOf says in a word what a result was changed to.
func kindOf(v, was uint64) string {
	failed := func(v uint64) bool { return v > ^uint64(4095) }
	switch {
	case v == program.Unset:
		return "nothing"
	case failed(v) && failed(was):
		return "another error"
	case failed(v):
		return "an error"
	case failed(was):
		return "success"
	}
	return "another number"
}
