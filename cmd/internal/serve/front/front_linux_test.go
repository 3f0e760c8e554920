package front

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/journal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/wire"
)

func nobodys() *front {
	j := journal.New(io.Discard, false, slog.LevelInfo)
	return newFront(Config{House: session.New(session.Usual(), j, nil), Who: principal.Local(), Log: j, Body: 1 << 20})
}

// One address has a quarter of the connections, and what is closed makes room.
func TestConnections(t *testing.T) {
	change := connections(2)
	open := func(ip byte) *closes {
		c := &closes{addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, ip), Port: 1}}
		change(c, http.StateNew)
		return c
	}
	var last *closes
	n := 0
	for last = open(1); !last.closed && n < mostConnections; n++ {
		last = open(1)
	}
	if n > mostConnections/4 || !last.closed {
		t.Errorf("one address had %d connections", n)
	}
	if open(2).closed {
		t.Error("another address was refused")
	}
	last = open(3)
	for i := 0; !last.closed && i < mostConnections; i++ {
		last = &closes{addr: &net.TCPAddr{IP: net.ParseIP(fmt.Sprintf("2001:db8::%x", i+1)), Port: 1}}
		change(last, http.StateNew)
	}
	if !last.closed {
		t.Error("one network had a connection of each of its addresses")
	}
	change(last, http.StateClosed)
	last = &closes{addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 1}}
	change(last, http.StateClosed)
	change(last, http.StateClosed)
	if open(1).closed {
		t.Error("there was no room again")
	}
}

type closes struct {
	net.Conn
	addr   net.Addr
	closed bool
}

func (c *closes) RemoteAddr() net.Addr { return c.addr }
func (c *closes) Close() error         { c.closed = true; return nil }

// Each message is one line of data.
func FuzzEvent(f *testing.F) {
	f.Add([]byte("{\"jsonrpc\":\"2.0\",\r\"method\":\"id: 7\\n\\ndata: \u2028\"}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		m, err := wire.Parse(line)
		if err != nil {
			return
		}
		w := httptest.NewRecorder()
		if !event(w, http.NewResponseController(w), m.Raw) {
			t.Fatal("not written")
		}
		body := w.Body.String()
		data, begins := strings.CutPrefix(body, "event: message\ndata: ")
		data, ends := strings.CutSuffix(data, "\n\n")
		if !begins || !ends || strings.ContainsAny(data, "\r\n") || data != string(m.Raw) {
			t.Fatalf("%q", body)
		}
	})
}

// Every id that is no session's is answered alike, whatever it looks like.
func FuzzSessionID(f *testing.F) {
	for _, id := range []string{"x", "10.0.0.1:80/x", strings.Repeat("A", 26), "\x00", "é", " "} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		if id == "" {
			return
		}
		ask := func(id string) (int, string) {
			r := httptest.NewRequest("DELETE", "/mcp", nil)
			r.Header[session1] = []string{id}
			w := httptest.NewRecorder()
			nobodys().serve(w, r)
			return w.Code, w.Body.String()
		}
		status, text := ask(id)
		if known, like := ask("another"); status != 404 || status != known || text != like {
			t.Fatalf("%q: %d %s", id, status, text)
		}
	})
}

// Whatever is posted without a session is answered with a 4xx, and starts nothing.
func FuzzPost(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`), "2025-06-18", "ping", "")
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}`), "", "tools/call", "=?base64?YQ==?=")
	f.Fuzz(func(t *testing.T, body []byte, version1, method, name string) {
		m, err := wire.Parse(bytes.Clone(body))
		if err == nil && (m.String(wire.Method) == "initialize" || agree(&http.Request{Header: http.Header{
			"Mcp-Method": {method}, "Mcp-Name": {name}, version: {version1}}}, m)) {
			return
		}
		r := httptest.NewRequest("POST", "/mcp", bytes.NewReader(body))
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"*/*"}, version: {version1},
			"Mcp-Method": {method}, "Mcp-Name": {name}}
		w := httptest.NewRecorder()
		nobodys().serve(w, r)
		if w.Code < 400 || w.Code > 499 {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
