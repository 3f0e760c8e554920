package strictjson

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// An Error is one thing wrong with a document.
type Error struct {
	Pointer string // RFC 6901: "/filesystem/allowRead/0", and "" for the whole document
	Msg     string
}

// Error is one line, with any key of the document: unprintable characters are escaped as in Go. The value of a
// key NAME=VALUE, which belongs nowhere, may be a secret and is left out.
func (e Error) Error() string {
	const most = 400
	p := e.Pointer
	if p == "" {
		return e.Msg
	}
	if i := strings.IndexByte(p, '='); i >= 0 && i+1 < len(p) {
		p = p[:i+1] + "…"
	}
	if len(p) > most {
		p = strings.ToValidUTF8(p[:most], "") + "…"
	}
	return text.Printable(p) + ": " + e.Msg
}

// Errors is everything wrong with a document, at most [MaxErrors], the last of which then says that there are
// more. A nil Errors in an error variable is not a nil error: use [Errors.Err].
type Errors []Error

// MaxErrors bounds Errors: a document of a megabyte has room for 100,000.
const MaxErrors = 100

// Error is one line for each error, without a newline at the end.
func (e Errors) Error() string {
	var b strings.Builder
	for i := range e {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e[i].Error())
	}
	return b.String()
}

// Err is nil if there is no error, and e otherwise.
func (e Errors) Err() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// Add appends an error while there is room and says whether there was.
func (e *Errors) Add(pointer, msg string) bool {
	switch len(*e) {
	case MaxErrors:
		return false
	case MaxErrors - 1:
		*e = append(*e, Error{"", "there are more errors than these"})
		return false
	}
	*e = append(*e, Error{pointer, msg})
	return true
}

// Step is one step of a JSON pointer: a "/" and the name with "~" and "/" escaped.
func Step(name string) string {
	return "/" + strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
