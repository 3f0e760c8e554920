package resolve

import (
	"net/netip"
	"strings"
)

const mostAddresses = 64 // of an answer

const blanks = " \t\r"

// hosts is the text of a hosts(5) file in lower case. Text is searched for each name, which costs less than a table of
// all names for the few that a server looks up.
type hosts string

// addresses are those of the lines that have the name, in their order.
func (h hosts) addresses(name string) (found []netip.Addr) {
	if name == "" {
		return nil
	}
	for from := 0; len(found) < mostAddresses; {
		i := strings.Index(string(h[from:]), name)
		if i < 0 {
			break
		}
		start := from + i
		from = start + 1
		if a, ok := h.at(start, start+len(name)); ok {
			found = append(found, a)
			if end := strings.IndexByte(string(h[from:]), '\n'); end >= 0 { // once for each line
				from += end
				continue
			}
			break
		}
	}
	return found
}

// at is the address of the line in which the text from start to end is a name.
func (h hosts) at(start, end int) (netip.Addr, bool) {
	after := strings.TrimPrefix(string(h[end:min(end+2, len(h))]), ".")
	if after != "" && !strings.ContainsRune(blanks+"\n#", rune(after[0])) ||
		start == 0 || !strings.ContainsRune(blanks, rune(h[start-1])) {
		return netip.Addr{}, false
	}
	line := string(h[strings.LastIndexByte(string(h[:start]), '\n')+1 : start])
	if strings.Contains(line, "#") {
		return netip.Addr{}, false
	}
	line = strings.TrimLeft(line, blanks)
	address, _, ok := cutBlank(line)
	if !ok {
		return netip.Addr{}, false
	}
	a, err := netip.ParseAddr(address)
	return a.Unmap(), err == nil
}

// names are those in the lines that begin with an address, in its usual form.
func (h hosts) names(a netip.Addr) (found []string) {
	text := a.Unmap().String()
	for rest := string(h); len(found) < mostAddresses; {
		i := strings.Index(rest, text)
		if i < 0 {
			break
		}
		line, more, _ := strings.Cut(rest[i+len(text):], "\n")
		start := rest[strings.LastIndexByte(rest[:i], '\n')+1 : i]
		if strings.Trim(start, blanks) == "" && line != "" && strings.ContainsRune(blanks, rune(line[0])) {
			line, _, _ = strings.Cut(line, "#")
			found = append(found, strings.Fields(line)...)
		}
		rest = more
	}
	return found
}

// cutBlank is the text before the first blank, and that behind it.
func cutBlank(s string) (before, after string, found bool) {
	if i := strings.IndexAny(s, blanks); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
