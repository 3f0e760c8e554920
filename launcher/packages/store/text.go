package store

import (
	"net/url"
	"strconv"
	"strings"
)

// appendEscaped writes bytes but printable ASCII as %XX.
func appendEscaped(b []byte, s string) []byte {
	const digits = "0123456789ABCDEF"
	for i := range len(s) {
		if c := s[i]; c > ' ' && c < 0x7f && c != '%' {
			b = append(b, c)
		} else {
			b = append(b, '%', digits[c>>4], digits[c&15])
		}
	}
	return b
}

// unescaped reads the text of appendEscaped.
func unescaped(s string) (string, bool) {
	text, err := url.PathUnescape(s)
	return text, err == nil
}

// A reader takes lines of a key and a value, in their order.
type reader struct {
	lines []string
	ok    bool
}

func (r *reader) take() (line string) {
	if len(r.lines) > 0 {
		line, r.lines = r.lines[0], r.lines[1:]
	}
	return line
}

func (r *reader) has(key string) bool {
	return len(r.lines) > 0 && strings.HasPrefix(r.lines[0], key+" ")
}

func (r *reader) value(key string) string {
	if !r.has(key) {
		r.ok = false
		return ""
	}
	s, ok := unescaped(r.take()[len(key)+1:])
	r.ok = r.ok && ok
	return s
}

func (r *reader) number(key string) int64 {
	n, err := strconv.ParseInt(r.value(key), 10, 64)
	r.ok = r.ok && err == nil && n >= 0
	return n
}
