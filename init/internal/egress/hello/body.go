package hello

const (
	fixedSize         = 2 + 32 // version and random
	sessionMax        = 32
	extensionName     = 0 // server_name
	hostName          = 0 // the type of a name, the only one
	nameMax, labelMax = 253, 63
)

// fields reads a message from the front. Once something does not fit bad stays true.
type fields struct {
	b   []byte
	bad bool
}

// take returns the next n bytes.
func (f *fields) take(n int) []byte {
	if n > len(f.b) {
		f.bad, f.b = true, nil
		return nil
	}
	taken := f.b[:n]
	f.b = f.b[n:]
	return taken
}

// number reads one or two bytes.
func (f *fields) number(bytes int) (n int) {
	for _, c := range f.take(bytes) {
		n = n<<8 | int(c)
	}
	return n
}

// vector reads the bytes behind their length, a number of one or two bytes.
func (f *fields) vector(bytes int) []byte { return f.take(f.number(bytes)) }

// serverName returns the name in a ClientHello (RFC 8446, 4.1.2), or "" if there is not exactly one.
func serverName(body []byte) string {
	f := fields{b: body}
	f.take(fixedSize)
	session, suites, compression := f.vector(1), f.vector(2), f.vector(1)
	if f.bad || len(session) > sessionMax || len(suites) == 0 || len(suites)%2 != 0 || len(compression) == 0 {
		return ""
	}
	extensions := fields{b: f.vector(2)}
	if f.bad || len(f.b) > 0 {
		return ""
	}
	name, found := "", false
	for len(extensions.b) > 0 {
		kind, data := extensions.number(2), extensions.vector(2)
		if extensions.bad || kind == extensionName && found {
			return ""
		}
		if kind == extensionName {
			name, found = oneName(data), true
		}
	}
	return name
}

// oneName reads the extension (RFC 6066, 3): a list that is one host_name.
func oneName(data []byte) string {
	f := fields{b: data}
	list := fields{b: f.vector(2)}
	kind, name := list.number(1), list.vector(2)
	if f.bad || len(f.b) > 0 || list.bad || len(list.b) > 0 || kind != hostName || len(name) > nameMax {
		return ""
	}
	return canonical(name)
}

// canonical returns a name in lower case, or "" if it is none. A dot at the end is not allowed in the extension.
func canonical(name []byte) string {
	var lower [nameMax]byte
	label := 0
	for i, c := range name {
		switch {
		case c == '.' && label > 0:
			label = -1
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
		default:
			return ""
		}
		if label++; label > labelMax {
			return ""
		}
		lower[i] = c
	}
	if label == 0 {
		return ""
	}
	return string(lower[:len(name)])
}
