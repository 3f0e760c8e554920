package strictjson

import (
	"strconv"
	"unicode/utf8"
)

// A Writer appends one document to a slice. The zero Writer writes it on one line, as JSON Lines want it.
//
//	w := strictjson.Writer{Buf: b, Indent: true}
//	w.Object()
//	w.Name("version")
//	w.Int(1)
//	w.EndObject()
//
// A Writer puts the commas; the caller matches ends with beginnings and puts names in objects.
type Writer struct {
	Buf    []byte
	Indent bool // each item on its own line, two spaces for each level; an empty array or object is [] or {}

	depth int
	items bool // the innermost open array or object has an item
	named bool // a name waits for its value
}

// Object begins an object: Name and a value follow, any number of times, then EndObject.
func (w *Writer) Object() { w.begin('{') }

// EndObject ends an object.
func (w *Writer) EndObject() { w.end('}') }

// Array begins an array: values follow, then EndArray.
func (w *Writer) Array() { w.begin('[') }

// EndArray ends an array.
func (w *Writer) EndArray() { w.end(']') }

// Name writes a member's name.
func (w *Writer) Name(name string) {
	w.item()
	w.Buf = append(AppendString(w.Buf, name), ':')
	if w.Indent {
		w.Buf = append(w.Buf, ' ')
	}
	w.named = true
}

// String writes a string.
func (w *Writer) String(s string) {
	w.item()
	w.Buf = AppendString(w.Buf, s)
}

// Strings writes an array of strings.
func (w *Writer) Strings(list []string) {
	w.Array()
	for _, s := range list {
		w.String(s)
	}
	w.EndArray()
}

// Int writes a number.
func (w *Writer) Int(n int64) {
	w.item()
	w.Buf = strconv.AppendInt(w.Buf, n, 10)
}

// Bool writes true or false.
func (w *Writer) Bool(b bool) {
	w.item()
	w.Buf = strconv.AppendBool(w.Buf, b)
}

// Raw writes a value that is JSON already, such as a number in the caller's own format.
func (w *Writer) Raw(json []byte) {
	w.item()
	w.Buf = append(w.Buf, json...)
}

func (w *Writer) begin(c byte) {
	w.item()
	w.Buf = append(w.Buf, c)
	w.depth++
	w.items = false
}

func (w *Writer) end(c byte) {
	w.depth--
	if w.items {
		w.line()
	}
	w.Buf = append(w.Buf, c)
	w.items = true // of what this one lies in
}

// item writes what goes before a name or a value.
func (w *Writer) item() {
	switch {
	case w.named:
		w.named = false
		return
	case w.depth == 0:
		return
	case w.items:
		w.Buf = append(w.Buf, ',')
	}
	w.line()
	w.items = true
}

func (w *Writer) line() {
	if !w.Indent {
		return
	}
	w.Buf = append(w.Buf, '\n')
	for range w.depth {
		w.Buf = append(w.Buf, ' ', ' ')
	}
}

// AppendString appends s as a JSON string. Bytes that are not UTF-8, as arguments and paths may hold, become U+FFFD:
// what must come back the same may not hold any.
func AppendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ' || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
