package wire

import (
	"encoding/json"
	"strconv"
)

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
	if id == nil {
		id = []byte("null")
	}
	raw, _ := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   any             `json:"error"`
	}{"2.0", id, struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data,omitempty"`
	}{code, message, data}}) // strings and numbers: nothing can fail
	return raw
}

// Code is the code of an answer's error; 0 for a result.
func (m *Message) Code() int {
	n, _ := strconv.Atoi(string(m.Value(Code)))
	return n
}
