// Package wire reads single messages of JSON-RPC, and changes them, without decoding the rest of them.
//
//	m, err := wire.Parse(line)
//	m.Kind, m.String(wire.Method)
//	raw := m.With(wire.Change{At: wire.ID, To: []byte("7")})
//
// What is not named here goes on as it came: unknown members, large numbers, fractions. A member that serve goes by may
// stand in a message once, in one case of letters: another reader could take the second.
package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Kind of message.
type Kind uint8

// The kinds of messages.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// A Field is a member that serve goes by, with the objects that it stands in.
type Field string

// The members that serve goes by.
const (
	version            Field = "jsonrpc"
	ID                 Field = "id"
	Method             Field = "method"
	Params             Field = "params"
	Result             Field = "result"
	Error              Field = "error"
	Code               Field = "error.code"
	Name               Field = "params.name"
	URI                Field = "params.uri"
	Token              Field = "params.progressToken" // of notifications/progress
	Cancelled          Field = "params.requestId"     // of notifications/cancelled
	meta               Field = "params._meta"
	MetaToken          Field = "params._meta.progressToken"
	MetaVersion        Field = "params._meta.io.modelcontextprotocol/protocolVersion"
	MetaLogLevel       Field = "params._meta.io.modelcontextprotocol/logLevel"
	MetaSubscription   Field = "params._meta.io.modelcontextprotocol/subscriptionId"
	resultMeta         Field = "result._meta"
	ResultSubscription Field = "result._meta.io.modelcontextprotocol/subscriptionId"
)

var fields = [...]Field{version, ID, Method, Params, Result, Error, Code, Name, URI, Token, Cancelled, meta, MetaToken,
	MetaVersion, MetaLogLevel, MetaSubscription, resultMeta, ResultSubscription}

// A Message is one message of JSON-RPC.
type Message struct {
	Kind Kind
	Raw  []byte // one line, without its end
	at   [len(fields)]span
}

// A span is a part of a message; to is 0 where there is none.
type span struct{ from, to int }

// The errors of [Parse].
var (
	ErrNotJSON = errors.New("the message is not JSON")
	ErrBatch   = errors.New("a batch: send each message by itself")
	ErrInvalid = errors.New("the message is not JSON-RPC 2.0")
	ErrTwice   = errors.New("a member stands twice in the message, or in another case of letters")
	ErrID      = errors.New("the id is neither a string nor an integer, or longer than 1,024 bytes")
)

const longestID = 1024 // ids wait for answers

// Parse reads one message. The bytes are the message's from then on.
func Parse(raw []byte) (*Message, error) {
	raw = bytes.Trim(raw, " \t\r\n")
	switch {
	case !json.Valid(raw):
		return nil, ErrNotJSON
	case raw[0] == '[':
		return nil, ErrBatch
	case raw[0] != '{':
		return nil, ErrInvalid
	}
	for i, c := range raw { // only white space can be one: a string has escapes
		if c == '\n' || c == '\r' {
			raw[i] = ' '
		}
	}
	m := &Message{Raw: raw}
	if err := m.scan("", 0); err != nil {
		return nil, err
	}
	return m, m.classify()
}

// scan notes where the fields of the object at i are, and those of the objects in it. The JSON is valid.
func (m *Message) scan(of string, i int) error {
	for i = space(m.Raw, i+1); m.Raw[i] != '}'; {
		end := skip(m.Raw, i)
		own := text(m.Raw[i:end])
		name := of + own
		value := space(m.Raw, space(m.Raw, end)+1) // behind the colon
		end = skip(m.Raw, value)
		for n, f := range fields {
			if !strings.EqualFold(string(f), name) || strings.Contains(own, ".") && !strings.HasSuffix(of, "_meta.") {
				continue
			}
			if string(f) != name || m.Has(f) {
				return ErrTwice
			}
			m.at[n] = span{value, end}
			if m.Raw[value] == '{' {
				if err := m.scan(name+".", value); err != nil {
					return err
				}
			}
		}
		if i = space(m.Raw, end); m.Raw[i] == ',' {
			i = space(m.Raw, i+1)
		}
	}
	return nil
}

// space is where the next byte that is no white space stands.
func space(raw []byte, i int) int {
	for raw[i] == ' ' || raw[i] == '\t' {
		i++
	}
	return i
}

// skip is the end of the value or the name that begins at i; behind it more of its object stands.
func skip(raw []byte, i int) int {
	for depth, quoted := 0, false; ; i++ {
		switch c := raw[i]; {
		case c == '\\': // in quotes
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(",:}] \t", c) >= 0:
			return i
		case c == '}' || c == ']':
			depth--
		}
	}
}

func (m *Message) classify() error {
	if m.String(version) != "2.0" || m.Has(Method) && m.String(Method) == "" {
		return ErrInvalid
	}
	if m.Has(ID) && Key(m.Value(ID)) == "" || len(m.Value(ID)) > longestID || len(m.Value(MetaToken)) > longestID {
		return ErrID
	}
	for _, f := range [...]Field{Error, Result} { // of the two the one that is null is none, as in JSON-RPC 1.0
		if m.Has(Result) && m.Has(Error) && string(m.Value(f)) == "null" {
			m.at[slices.Index(fields[:], f)] = span{}
		}
	}
	answers := m.Has(Result) || m.Has(Error)
	switch {
	case m.Has(Method) && answers, m.Has(Result) && m.Has(Error):
		return ErrInvalid
	case m.Has(Method) && m.Has(ID):
		m.Kind = Request
	case m.Has(Method):
		m.Kind = Notification
	case m.Has(ID) && answers:
		m.Kind = Response
	default:
		return ErrInvalid
	}
	return nil
}

func (m *Message) span(f Field) span { return m.at[slices.Index(fields[:], f)] }

// Has reports whether a field is there.
func (m *Message) Has(f Field) bool { return m.span(f).to > 0 }

// Value is a field's JSON; nil where there is none.
func (m *Message) Value(f Field) []byte {
	if at := m.span(f); at.to > 0 {
		return m.Raw[at.from:at.to]
	}
	return nil
}

// String is a field's string; "" where there is none.
func (m *Message) String(f Field) string { return text(m.Value(f)) }

// Code is the code of an answer's error; 0 for a result.
func (m *Message) Code() int {
	n, _ := strconv.Atoi(string(m.Value(Code)))
	return n
}

// text decodes a string of JSON; "" for anything else.
func text(quoted []byte) (s string) {
	if i := bytes.IndexByte(quoted, '\\'); i < 0 && len(quoted) > 0 && quoted[0] == '"' && utf8.Valid(quoted) {
		return string(quoted[1 : len(quoted)-1])
	}
	json.Unmarshal(quoted, &s)
	return s
}

// Key is an id or a token such that equal ones have equal keys, whatever their escapes; "" for what is none.
func Key(id []byte) string {
	switch {
	case len(id) == 0:
		return ""
	case id[0] == '"':
		return `"` + text(id)
	case len(bytes.Trim(id, "-0123456789")) > 0: // a fraction, null, an object
		return ""
	}
	return string(id)
}
