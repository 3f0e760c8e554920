package missed

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
)

// entries changes the list of a folder: one field of an entry at a time, an entry left out, and one too many.
func (c *changes) entries(i int, b []byte) {
	size := 0
	for at := 0; at < len(b); at += size { // struct linux_dirent64; getdents(2)
		size = int(binary.LittleEndian.Uint16(b[at+16:]))
		for _, f := range []field{{"d_ino", 0, 8}, {"d_off", 8, 8}, {"d_reclen", 16, 2}, {"d_type", 18, 1}} {
			c.field(i, f, b[at+f.at:at+f.at+f.size])
		}
		name := b[at+19 : at+size]
		end := strings.IndexByte(string(name), 0)
		dots := map[bool]string{true: "name of the folder itself", false: "name"}[name[0] == '.']
		for j := range name {
			f := field{dots, 0, 1}
			if j > end {
				f.name = "byte behind a name"
			}
			c.field(i, f, name[j:j+1])
		}
	}
	for _, fd := range []string{"4", "7", "10", "31", "255"} {
		entry := make([]byte, 24)
		entry[16] = byte(len(entry))
		copy(entry[19:], fd)
		c.longer(i, b, entry, "lists descriptor "+fd+" too")
	}
}

// longer has a call store more than it did.
func (c *changes) longer(i int, b, more []byte, what string) {
	o := c.Op(i)
	behind := c.evidence.Bytes(program.Addr(c.Arg(i, 1)).Plus(len(b)), len(more))
	was := string(behind)
	copy(behind, more)
	c.evidence.Store(o, uint64(len(b)+len(more)))
	c.try(c.name(i)+" "+what, c.Line(i, nil))
	c.evidence.Store(o, uint64(len(b)))
	copy(behind, was)
}

// links changes the list of interfaces: one field at a time, and an interface too many.
func (c *changes) links(i int, b []byte) {
	const header, info = 16, 16 // struct nlmsghdr and struct ifinfomsg; rtnetlink(7)
	for at := 0; at+header <= len(b); {
		size := int(binary.LittleEndian.Uint32(b[at:]))
		kind := binary.LittleEndian.Uint16(b[at+4:])
		what := map[uint16]string{2: "answer's ", 3: "end of the list's ", 16: "link's ", 20: "address's "}[kind]
		for _, f := range []field{{"length", 0, 4}, {"type", 4, 2}, {"kind of message", 6, 2}, {"sequence", 8, 4}, {"port", 12, 4}} {
			c.field(i, field{what + f.name, 0, f.size}, b[at+f.at:at+f.at+f.size])
		}
		if kind == 16 {
			link := b[at : at+size]
			for _, f := range []field{{"family", 16, 2}, {"hardware", 18, 2}, {"index", 20, 4}, {"flags", 24, 1}, {"other bits", 25, 3}, {"change mask", 28, 4}} {
				c.field(i, field{what + f.name, 0, f.size}, link[f.at:f.at+f.size])
			}
			c.attributes(i, link[header+info:], 3)
			another := bytes.Replace(link, []byte("lo\x00"), []byte("hi\x00"), 1)
			another[24] |= 1
			c.longer(i, b, another, "lists another interface that is up")
		}
		if kind == 20 {
			address := b[at : at+size]
			for _, f := range []field{{"family", 16, 1}, {"prefix", 17, 1}, {"flag bits", 18, 1}, {"scope", 19, 1}, {"index", 20, 4}} {
				c.field(i, field{what + f.name, 0, f.size}, address[f.at:f.at+f.size])
			}
			c.attributes(i, address[24:], 1, 2) // IFA_ADDRESS and IFA_LOCAL
			another := bytes.Clone(address)
			another[28]++
			c.longer(i, b, another, "lists another address")
		}
		at += (size + 3) &^ 3
	}
}

// attributes changes those of an interface or of an address: its name or itself is what counts.
func (c *changes) attributes(i int, b []byte, counts ...uint16) {
	of := map[bool]string{true: " of a link", false: " of an address"}[counts[0] == 3]
	for len(b) >= 4 {
		size, kind := int(binary.LittleEndian.Uint16(b)), binary.LittleEndian.Uint16(b[2:])
		what := map[bool]string{true: "name", false: "attribute"}[slices.Contains(counts, kind)] + of
		c.field(i, field{what + "'s length", 0, 2}, b[:2])
		c.field(i, field{what + "'s type", 0, 2}, b[2:4])
		for j := 4; j < size; j++ {
			c.field(i, field{what, 0, 1}, b[j:j+1])
			if !slices.Contains(counts, kind) {
				break
			}
		}
		b = b[min((size+3)&^3, len(b)):]
	}
}

// mounts changes init's table of mounts: a line left out or told twice, each word of a line.
func (c *changes) mounts() {
	all := c.evidence.Mounts
	for i := range all {
		m := all[i]
		kind := c.kind(i)
		c.evidence.Mounts = append(append(all[:0:0], all[:i]...), all[i+1:]...)
		c.try("absence of "+kind, m.Path)
		c.evidence.Mounts = append(append(all[:0:0], all...), m)
		c.try("a second "+kind, m.Path)
		c.evidence.Mounts = all
		for _, w := range []struct {
			name string
			at   *string
			to   []string
		}{
			{"options", &all[i].Options, without(m.Options)}, {"file system's options", &all[i].Super, without(m.Super)},
			{"propagation", &all[i].Propagation, []string{"shared:1", "master:1"}}, {"type", &all[i].Type, []string{"ext4", "tmpfs", "proc"}},
			{"device", &all[i].Dev, []string{"9:9"}}, {"path", &all[i].Path, []string{"/elsewhere", m.Path + "/x", m.Path + "x"}},
			{"root", &all[i].Root, []string{"/elsewhere", m.Root + "x", "/"}},
		} {
			was := *w.at
			for _, to := range w.to {
				if to != was {
					*w.at = to
					c.try("another "+w.name+" of "+kind+lost(was, to), m.Path+" "+was+" as "+to)
				}
			}
			*w.at = was
		}
	}
}

// without is a list of words with one of them left out, or turned round.
func without(list string) (all []string) {
	words := strings.Split(list, ",")
	for i, w := range words {
		rest := append(append(words[:0:0], words[:i]...), words[i+1:]...)
		all = append(all, strings.Join(rest, ","))
		if other := map[string]string{"ro": "rw", "rw": "ro"}[w]; other != "" {
			all = append(all, strings.Join(append(rest, other), ","))
		}
	}
	return all
}

// kind says what a mount is.
func (c *changes) kind(i int) string {
	v, path := c.View(), c.evidence.Mounts[i].Path
	for _, m := range c.evidence.Mounts[i+1:] {
		if m.Path == path {
			return "a mount of the host's"
		}
	}
	switch path {
	case "/", "/proc", "/proc/keys", "/dev/pts":
		return path
	}
	for _, k := range v.Covers {
		if k.Path == path {
			return []string{"a pin", "a frozen cover", "a denial"}[k.Kind]
		}
	}
	for _, n := range v.Private {
		if n.Path == path {
			return map[bool]string{true: "a state", false: "a private folder"}[n.Kind == fsview.Bind]
		}
	}
	for _, n := range v.Nodes {
		if n.Path == path && n.Kind == fsview.Bind {
			return "a bind"
		}
	}
	return "a mount of the host's"
}

// lost names the word that a list has no more.
func lost(was, to string) string {
	for w := range strings.SplitSeq(was, ",") {
		if strings.Contains(was, ",") && !strings.Contains(","+to+",", ","+w+",") {
			return " without " + strings.TrimRight(w, "0123456789k")
		}
	}
	return ""
}

// again reports whether a later call does the same: of a path that is covered the first look is at what was put there.
func (c *changes) again(i int) bool {
	for j := i + 1; j < c.Len(); j++ {
		if c.call(j) == c.call(i) {
			return true
		}
	}
	return false
}

// hostsTerminals makes /dev/pts the host's, in every look at it and in the table of mounts.
func (c *changes) hostsTerminals() {
	var host string
	undo := map[int]string{}
	for i := range c.Len() {
		if c.Called(i) != "statx" || c.seen(i) != "/dev/pts" || !c.evidence.Ran(c.Op(i)) {
			continue
		}
		dev := c.evidence.Bytes(program.Addr(c.Arg(i, 4)).Plus(136), 8)
		if c.row(i) == "root root" {
			host = string(dev)
			continue
		}
		undo[i] = string(dev)
		copy(dev, host)
	}
	for i := range c.evidence.Mounts {
		if m := &c.evidence.Mounts[i]; host != "" && m.Path == "/dev/pts" && c.kind(i) == m.Path {
			was, b := m.Dev, []byte(host)
			m.Dev = strconv.Itoa(int(binary.LittleEndian.Uint32(b))) + ":" + strconv.Itoa(int(binary.LittleEndian.Uint32(b[4:])))
			c.try("the host's terminals", m.Path)
			m.Dev = was
		}
	}
	for i, was := range undo {
		copy(c.evidence.Bytes(program.Addr(c.Arg(i, 4)).Plus(136), 8), was)
	}
}
