package match

import "strings"

// localhost is the host's loopback, in the policy and inside: RFC 6761, 6.3.
const localhost = "localhost"

// Canonical returns a host name in lower case and without the one dot that may end it. False means that no entry can
// name it: names in entries have labels of 1 to 63 of the bytes a-z, 0-9, _ and -, are 253 bytes long at most, and do
// not end in a number or in 0x and more, which resolvers take for an address.
func (r *Rules) Canonical(name string) (string, bool) { return canonical(name) }

func canonical(name string) (string, bool) {
	name = strings.TrimSuffix(name, ".")
	if len(name) > 253 { // before it is copied
		return "", false
	}
	folded := fold(name)
	return folded, hostName(folded)
}

// fold makes A-Z lower case. strings.ToLower knows letters beyond ASCII that it makes ASCII: U+212A is k.
func fold(name string) string {
	for i := 0; i < len(name); i++ {
		if 'A' <= name[i] && name[i] <= 'Z' {
			b := []byte(name)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return name
}

// hostName reports whether a name is canonical.
func hostName(name string) bool {
	start, number := 0, true // of the label
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.':
			if i == start || i-start > 63 {
				return false
			}
			start, number = i+1, true
		case '0' <= c && c <= '9':
		case 'a' <= c && c <= 'z', c == '_', c == '-':
			number = false
		default:
			return false
		}
	}
	last := len(name) - start
	return last > 0 && last <= 63 && len(name) <= 253 && !number && !strings.HasPrefix(name[start:], "0x")
}

// lookedUp reports whether a lookup may be made of a canonical name. Names of localhost are no names of the network.
func lookedUp(name string) bool {
	return hostName(name) && name != localhost && !strings.HasSuffix(name, "."+localhost)
}
