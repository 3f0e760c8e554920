package guard

import "bytes"

const (
	// Tag stands in front of each line that is no message.
	Tag = "mcp-sandbox: stdout: "
	// Most is how many bytes of one line are held back, so how much memory a server can make the shim use.
	Most = 16 << 20
)

// A Guard parts one stream. The zero value is at the beginning of a line.
type Guard struct {
	out  []byte // messages, and behind them the line that is being judged
	sure int    // how far out may be written
	gone int    // how far it was
	rest []byte
	told int // how far rest was written
	fate fate
	scan scanner
}

// fate is what becomes of the line that is being read.
type fate uint8

const (
	open     fate = iota // nobody knows yet
	passed               // too long to wait for its end
	diverted             // no message: the tag is written
)

// Messages is what standard output gets. It is valid until the next call.
func (g *Guard) Messages() []byte { return g.out[g.gone:g.sure] }

// Rest is what standard error gets. It is valid until the next call.
func (g *Guard) Rest() []byte { return g.rest[g.told:] }

// Written forgets what was written of [Guard.Messages] and of [Guard.Rest].
func (g *Guard) Written(messages, rest int) {
	was := g.gone + messages
	g.out, g.gone = drop(g.out, was)
	g.sure -= was - g.gone
	g.rest, g.told = drop(g.rest, g.told+rest)
}

// drop takes from the front what is written, at least as much at once as stays and has to be moved, and gives
// the memory of a long line back.
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

// Take judges what came.
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
			g.fate, g.scan = open, scanner{}
			g.sure = len(g.out)
		}
	}
}

// End judges a last line that has no end. One that is no message gets an end, for the launcher's own lines come
// behind it.
func (g *Guard) End() {
	if g.fate == open && len(g.out) > g.sure {
		g.end()
		g.sure = len(g.out)
	}
	if g.fate == diverted {
		g.put('\n')
	}
	g.fate, g.scan = open, scanner{}
}

// part takes a part of a line.
func (g *Guard) part(b []byte) {
	switch g.fate {
	case diverted:
		g.rest = append(g.rest, b...)
	case passed:
		g.out = append(g.out, b...)
		g.sure = len(g.out)
	case open:
		g.out = append(g.out, b...)
		switch {
		case !g.scan.take(b):
			g.divert()
		case len(g.out)-g.sure > Most:
			g.fate, g.sure = passed, len(g.out)
		}
	}
}

// end is the end of a line: what is not a whole message by now is none.
func (g *Guard) end() {
	if g.fate == open && !g.scan.message() {
		g.divert()
	}
}

func (g *Guard) put(c byte) {
	if g.fate == diverted {
		g.rest = append(g.rest, c)
	} else {
		g.out = append(g.out, c)
	}
}

func (g *Guard) divert() {
	g.rest = append(append(g.rest, Tag...), g.out[g.sure:]...)
	g.out = g.out[:g.sure]
	g.fate = diverted
}
