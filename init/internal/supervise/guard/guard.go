package guard

import "bytes"

const (
	// Tag stands in front of each line that is no message.
	Tag = "mcp-sandbox: stdout: "
	// Most is how many bytes of one line are held back, so how much memory a server can make the shim use.
	Most = 16 << 20
)

// A Guard divides one stream. The zero value is at the beginning of a line.
type Guard struct {
	out      []byte // messages, and then the line that is being read
	judged   int    // the end of the messages in out
	written  int    // how much of out is written
	rest     []byte
	restDone int // how much of rest is written
	line     verdict
	scan     scanner
}

// A verdict is whether the line that is being read is a message.
type verdict uint8

const (
	open     verdict = iota // not known yet
	passed                  // not known, and the line is too long to wait for its end
	diverted                // no message: the tag is written
)

// Messages are for standard output, and valid until the next call.
func (g *Guard) Messages() []byte { return g.out[g.written:g.judged] }

// Rest is for standard error, and valid until the next call.
func (g *Guard) Rest() []byte { return g.rest[g.restDone:] }

// Written drops the bytes of [Guard.Messages] and of [Guard.Rest] that were written.
func (g *Guard) Written(messages, rest int) {
	was := g.written + messages
	g.out, g.written = drop(g.out, was)
	g.judged -= was - g.written
	g.rest, g.restDone = drop(g.rest, g.restDone+rest)
}

// drop removes the written front once that is no shorter than the rest, which has to be moved, and frees the
// memory of a long line.
func drop(b []byte, written int) (left []byte, gone int) {
	switch n := len(b) - written; {
	case n == 0 && cap(b) > 256<<10:
		return nil, 0
	case n > written:
		return b, written
	default:
		copy(b, b[written:])
		return b[:n], 0
	}
}

// Take judges bytes of the stream.
func (g *Guard) Take(b []byte) {
	for len(b) > 0 {
		line, whole := b, false
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, whole = b[:i], true
		}
		b = b[len(line):]
		g.part(line)
		if whole {
			b = b[1:]
			g.end()
			g.put('\n')
			g.line, g.scan = open, scanner{}
			g.judged = len(g.out)
		}
	}
}

// End judges a last line that has no end. One that is no message gets an end, for the launcher's own lines come
// behind it.
func (g *Guard) End() {
	if g.line == open && len(g.out) > g.judged {
		g.end()
		g.judged = len(g.out)
	}
	if g.line == diverted {
		g.put('\n')
	}
	g.line, g.scan = open, scanner{}
}

// part takes a part of a line.
func (g *Guard) part(b []byte) {
	switch g.line {
	case diverted:
		g.rest = append(g.rest, b...)
	case passed:
		g.out = append(g.out, b...)
		g.judged = len(g.out)
	case open:
		g.out = append(g.out, b...)
		switch {
		case !g.scan.take(b):
			g.divert()
		case len(g.out)-g.judged > Most:
			g.line, g.judged = passed, len(g.out)
		}
	}
}

// end is the end of a line, which is now a whole message or none.
func (g *Guard) end() {
	if g.line == open && !g.scan.message() {
		g.divert()
	}
}

func (g *Guard) put(c byte) {
	if g.line == diverted {
		g.rest = append(g.rest, c)
	} else {
		g.out = append(g.out, c)
	}
}

func (g *Guard) divert() {
	g.rest = append(append(g.rest, Tag...), g.out[g.judged:]...)
	g.out = g.out[:g.judged]
	g.line = diverted
}
