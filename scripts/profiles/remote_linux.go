package main

import (
	"encoding/json"
	"net/http"
)

// A message is one of JSON-RPC.
type message struct {
	ID     json.RawMessage
	Method string
	Params struct {
		ProtocolVersion string
		Name            string
		Arguments       map[string]string
	}
}

// remote is an MCP server over HTTP with one tool, for servers that pass on what a host answers. It answers in JSON.
func remote(w http.ResponseWriter, r *http.Request) {
	var m message
	if r.Method != http.MethodPost {
		http.Error(w, "no stream", http.StatusMethodNotAllowed)
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if m.ID == nil { // a notification
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if result := m.result(); result != nil {
		answer["result"] = result
	} else {
		answer["error"] = map[string]any{"code": -32601, "message": "method not found"}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

// result is what a request comes to; nil for a method that is not known.
func (m *message) result() map[string]any {
	switch m.Method {
	case "initialize":
		return map[string]any{"protocolVersion": m.Params.ProtocolVersion,
			"capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo":   map[string]any{"name": "remote", "version": "1"}}
	case "ping":
		return map[string]any{}
	case "tools/list":
		text := map[string]any{"type": "string"}
		schema := map[string]any{"type": "object", "properties": map[string]any{"text": text}}
		return map[string]any{"tools": []any{map[string]any{"name": "remote_echo", "inputSchema": schema}}}
	case "tools/call":
		text := "remote: " + m.Params.Arguments["text"]
		return map[string]any{"content": []any{map[string]any{"type": "text", "text": text}}}
	}
	return nil
}
