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
	"strings"
)

// A Kind of message.
type Kind uint8

// The kinds of messages.
const (
	Request Kind = iota + 1
	Notification
	Response
)

// A Field is a member that serve goes by.
type Field int

// The members that serve goes by.
const (
	whole Field = iota
	version
	ID
	Method
	Params
	Result
	Error
	Name
	URI
	meta
	Token           // of notifications/progress
	Cancelled       // the id in notifications/cancelled
	ProtocolVersion // of initialize
	MetaToken
	MetaVersion
	MetaLogLevel
	MetaSubscription
	resultMeta
	ResultSubscription
	Code
	fields
)

const prefix = "io.modelcontextprotocol/"

// places says in which object each field stands, by which name.
var places = [fields]struct {
	in   Field
	name string
}{
	version: {whole, "jsonrpc"}, ID: {whole, "id"}, Method: {whole, "method"}, Params: {whole, "params"},
	Result: {whole, "result"}, Error: {whole, "error"},
	Name: {Params, "name"}, URI: {Params, "uri"}, meta: {Params, "_meta"}, Token: {Params, "progressToken"},
	Cancelled: {Params, "requestId"}, ProtocolVersion: {Params, "protocolVersion"},
	MetaToken: {meta, "progressToken"}, MetaVersion: {meta, prefix + "protocolVersion"},
	MetaLogLevel: {meta, prefix + "logLevel"}, MetaSubscription: {meta, prefix + "subscriptionId"},
	resultMeta: {Result, "_meta"}, ResultSubscription: {resultMeta, prefix + "subscriptionId"}, Code: {Error, "code"},
}

// A Message is one message of JSON-RPC.
type Message struct {
	Kind Kind
	Raw  []byte // one line, without its end
	at   [fields]span
}

// The errors of [Parse].
var (
	ErrNotJSON = errors.New("the message is not JSON")
	ErrBatch   = errors.New("a batch: send each message by itself")
	ErrInvalid = errors.New("the message is not JSON-RPC 2.0")
	ErrTwice   = errors.New("a member stands twice in the message, or in another case of letters")
	ErrID      = errors.New("the id is neither a string nor an integer")
)

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
	if err := m.scan(whole, span{0, len(raw)}); err != nil {
		return nil, err
	}
	return m, m.classify()
}

// scan notes where the fields of an object are, and those of the objects in it.
func (m *Message) scan(in Field, object span) error {
	err := members(m.Raw, object, func(quoted []byte, value span) error {
		name := text(quoted)
		for f := whole + 1; f < fields; f++ {
			if places[f].in != in || !strings.EqualFold(places[f].name, name) {
				continue
			}
			if places[f].name != name || m.Has(f) {
				return ErrTwice
			}
			m.at[f] = value
		}
		return nil
	})
	for _, f := range [...]Field{Params, Result, Error, meta, resultMeta} {
		if at := m.at[f]; err == nil && places[f].in == in && m.Has(f) && m.Raw[at.from] == '{' {
			err = m.scan(f, at)
		}
	}
	return err
}

func (m *Message) classify() error {
	if m.String(version) != "2.0" || m.Has(Method) && m.String(Method) == "" {
		return ErrInvalid
	}
	if m.Has(ID) && Key(m.Value(ID)) == "" {
		return ErrID
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

// Has reports whether a field is there.
func (m *Message) Has(f Field) bool { return m.at[f].from > 0 }

// Value is a field's JSON; nil where there is none.
func (m *Message) Value(f Field) []byte {
	if !m.Has(f) {
		return nil
	}
	return m.Raw[m.at[f].from:m.at[f].to]
}

// String is a field's string; "" where there is none.
func (m *Message) String(f Field) string { return text(m.Value(f)) }

// text decodes a string of JSON; "" for anything else.
func text(quoted []byte) (s string) {
	if len(quoted) == 0 || quoted[0] != '"' {
		return ""
	}
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(bytes.ToValidUTF8(quoted[1:len(quoted)-1], []byte("\ufffd")))
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

// A Change is another value of a field that is there.
type Change struct {
	At Field
	To []byte
}

// With is the message with other values, and every other byte as it is.
func (m *Message) With(changes ...Change) []byte {
	slices.SortFunc(changes, func(a, b Change) int { return m.at[a.At].from - m.at[b.At].from })
	size := len(m.Raw)
	for _, c := range changes {
		size += len(c.To)
	}
	out, end := make([]byte, 0, size+1), 0 // room for the end of the line
	for _, c := range changes {
		if m.Has(c.At) {
			out = append(append(out, m.Raw[end:m.at[c.At].from]...), c.To...)
			end = m.at[c.At].to
		}
	}
	return append(out, m.Raw[end:]...)
}
