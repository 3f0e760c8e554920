package wire

import (
	"encoding/json"
	"slices"
)

// A Change is another value of a field that is there.
type Change struct {
	At Field
	To []byte
}

// With is the message with other values, and every other byte as it is.
func (m *Message) With(changes ...Change) []byte {
	slices.SortFunc(changes, func(a, b Change) int { return m.span(a.At).from - m.span(b.At).from })
	out, end := make([]byte, 0, len(m.Raw)+64), 0 // room for other ids
	for _, c := range changes {
		if at := m.span(c.At); at.to > 0 {
			out = append(append(out, m.Raw[end:at.from]...), c.To...)
			end = at.to
		}
	}
	return append(out, m.Raw[end:]...)
}

// Codes of errors that serve goes by or answers with.
const (
	CodeNotJSON    = -32700
	CodeInvalid    = -32600
	CodeNoMethod   = -32601
	CodeParams     = -32602
	CodeInternal   = -32603
	CodeHeaders    = -32020
	CodeCapability = -32021
	CodeVersion    = -32022
)

// Failure is the answer with an error. id is JSON, nil for null; data may be nil.
func Failure(id []byte, code int, message string, data any) []byte {
	type failure struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}
	raw, _ := json.Marshal(struct { // strings and numbers: nothing can fail
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   failure         `json:"error"`
	}{"2.0", id, failure{code, message, data}})
	return raw
}
