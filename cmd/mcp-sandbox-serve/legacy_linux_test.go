package main

import (
	"context"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a POST must be, and what is answered else.
func TestPosts(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--max-body", "64K")
	c := s.session()
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, try := range map[string]struct {
		header, body string
		status       int
		has          string
	}{
		"fine":              {"", ping, 200, `"result":{}`},
		"version":           {"MCP-Protocol-Version: 2025-06-18", ping, 200, `"id":1`},
		"unknown version":   {"MCP-Protocol-Version: 2025-01-01", ping, 400, "-32022"},
		"no version":        {"MCP-Protocol-Version: 9999", ping, 400, `"supported":["2025-11-25"`},
		"batch":             {"", "[" + ping + "]", 400, "-32600"},
		"not JSON":          {"", "{", 400, "-32700"},
		"empty":             {"", "", 400, "-32700"},
		"null id":           {"", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, "-32600"},
		"fraction id":       {"", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, "-32600"},
		"object id":         {"", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 400, "-32600"},
		"form":              {"Content-Type: text/plain", ping, 415, ""},
		"JSON alone":        {"Accept: application/json", ping, 406, ""},
		"anything":          {"Accept: */*", ping, 200, ""},
		"too long":          {"", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 70<<10) + `"}`, 413, ""},
		"no session":        {"Mcp-Session-Id: none", ping, 404, "no such session"},
		"notification":      {"", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 202, ""},
		"response":          {"", `{"jsonrpc":"2.0","id":"x","result":{}}`, 202, ""},
		"large number":      {"", `{"jsonrpc":"2.0","id":12345678901234567890123,"method":"ping"}`, 200, "12345678901234567890123"},
		"lines":             {"", "{\"jsonrpc\":\"2.0\",\r\n\"id\":\"a\\u0062\",\n\"method\":\"ping\"}", 200, `"a\u0062"`},
		"unknown method":    {"", `{"jsonrpc":"2.0","id":4,"method":"none"}`, 200, "-32601"},
		"result and method": {"", `{"jsonrpc":"2.0","id":4,"method":"ping","result":{}}`, 400, "-32600"},
	} {
		t.Run(name, func(t *testing.T) {
			own := s.client("Mcp-Session-Id: " + c.header.Get("Mcp-Session-Id"))
			if key, value, ok := strings.Cut(try.header, ": "); ok {
				own.header.Set(key, value)
			}
			own.post(try.body).want(t, try.status, try.has)
		})
	}
	s.client().post(ping).want(t, 400, "initialize")
	if a := s.client().send("PUT", ""); a.status != 405 || a.header.Get("Allow") == "" {
		t.Errorf("%+v", a)
	}
	if raw := c.post(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","x":1.50,"é":[1e400]}}`); !strings.Contains(
		raw.text, `\"x\":1.50,\"é\":[1e400]`) {
		t.Errorf("a message did not come as it was: %s", raw.text)
	}
}

// Each session has a sandbox of its own, which ends with DELETE.
func TestSessions(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	a, b := s.session(), s.session()
	s.started(2)
	s.client().send("GET", "").want(t, 400, "initialize")
	s.client("Mcp-Session-Id: "+a.header.Get("Mcp-Session-Id"), "Accept: application/json").send("GET", "").want(t, 406, "text/event-stream")
	open := a.stream("GET", "")
	if h := open.response.Header; h.Get("X-Accel-Buffering") != "no" || h.Get("Cache-Control") != "no-cache, no-transform" {
		t.Errorf("%v: a proxy would keep events back", h)
	}
	a.send("DELETE", "").want(t, 204)
	if rest := open.next(); rest != "" {
		t.Errorf("after DELETE came %s", rest)
	}
	a.post(call("1", "echo", "", 0)).want(t, 404)
	a.send("DELETE", "").want(t, 404)
	b.post(call("1", "echo", "", 0)).want(t, 200)
	if cause := s.awaitEnds(1); cause != "deleted" {
		t.Errorf("cause %s", cause)
	}
}

// Where messages of the server go.
func TestRoutes(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	c := s.session()
	changed := `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	c.post(call("1", "raw", changed, 0)).want(t, 200, "done") // waits for a GET
	first := c.stream("GET", "")
	first.want("list_changed")
	second := c.stream("GET", "")
	if rest := first.next(); rest != "" {
		t.Errorf("the first GET goes on: %s", rest)
	}
	c.post(call("2", "raw", changed, 0)).want(t, 200, "done")
	second.want("list_changed")

	log := `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info"}}`
	own := c.stream("POST", call(`"3"`, "raw", log, 0))
	own.want("notifications/message")
	own.want(`"id":"3"`, "done")
	if rest := own.next(); rest != "" {
		t.Errorf("after the answer came %s", rest)
	}
	tool := `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"progress","_meta":{"progressToken":"p"}}}`
	running := c.stream("POST", tool)
	running.want(`"progressToken":"p","progress":1.50`)
	running.want(`"id":4`)

	asked := c.stream("POST", call("5", "ask", "", 0))
	asked.want(`"id":"of-server"`, "sampling/createMessage")
	c.post(`{"jsonrpc":"2.0","id":"of-server","result":{"n":1.0}}`).want(t, 202)
	asked.want(`"id":5`, `{\"n\":1.0}`)
}

// An id in flight is taken; a cancelled call's stream ends soon; a call whose client left is the server's to end.
func TestCalls(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--max-requests", "4")
	c := s.session()
	hung := c.stream("POST", call("1", "hang", "", 0))
	c.post(call("1", "echo", "", 0)).want(t, 400, "in flight")
	c.post(call(`"1"`, "echo", "", 0)).want(t, 200)
	c.post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`).want(t, 202)
	if rest := hung.next(); rest != "" {
		t.Errorf("%s", rest)
	}
	c.post(call("1", "heard", "", 0)).want(t, 200, `requestId\":1`)
	for _, id := range []string{"10", "11", "12"} {
		c.stream("POST", call(id, "hang", "", 0)).stop()
	}
	c.post(call("13", "echo", "", 0)).want(t, 200)
	c.stream("POST", call("14", "hang", "", 0))
	if a := c.post(call("15", "echo", "", 0)).want(t, 429); a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// What happens in a start that comes to nothing.
func TestStartsThatFail(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct{ text, cause string }{
		"refuses":   {`"not you"`, "initialize"},
		"endsEarly": {`"exitCode":5`, "exit"},
		"mute":      {`"cause":"start-timeout"`, "start-timeout"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			limit := map[string][]string{"mute": {"--start-timeout", "10s"}}[mode]
			s := launch(t, mode, limit...)
			a := s.client().post(initialize).want(t, 200, want.text)
			if id := a.header.Get("Mcp-Session-Id"); id != "" {
				t.Errorf("a session %s", id)
			}
			if cause := s.awaitEnds(1); cause != want.cause {
				t.Errorf("cause %s", cause)
			}
			s.gone()
		})
	}
	s := launch(t, "mute")
	ctx, leave := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.client().start(ctx, "POST", initialize)
	}()
	testbed.Await(t, "a start", func() bool { return s.count("sandbox started") > 0 })
	leave()
	testbed.Receive(t, "the end of the request", done)
	if cause := s.awaitEnds(1); cause != "initialize" {
		t.Errorf("cause %s", cause)
	}
}

// Of a principal who has as many sessions as may be the one that was idle longest, and that no client listens to, makes
// room.
func TestMakesRoom(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--max-per-principal", "3", "--idle", "75s") // which no test waits for
	listens := s.session()
	listens.stream("GET", "")
	first, second := s.session(), s.session()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	testbed.Await(t, "a session more", func() bool {
		second.post(ping).want(t, 200)
		return s.client().post(initialize).status == 200
	})
	if cause := s.awaitEnds(1); cause != "idle" {
		t.Errorf("cause %s", cause)
	}
	first.post(ping).want(t, 404)
	listens.post(ping).want(t, 200)
	second.post(ping).want(t, 200)
}

// A sandbox that does nothing ends; an open stream, and even more a call in flight, keeps it.
func TestIdle(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--idle", "4s", "--idle-open", "1h")
	busy := s.session()
	hung := busy.stream("POST", call("1", "wait", "", 5000))
	open := s.session()
	open.stream("GET", "")
	s.session()
	if cause := s.awaitEnds(1); cause != "idle" {
		t.Errorf("cause %s", cause)
	}
	hung.want("done")
	open.post(`{"jsonrpc":"2.0","id":1,"method":"ping"}`).want(t, 200)
}

// The same where a client listens: its stream ends.
func TestIdleOpen(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--idle", "1h", "--idle-open", "3s")
	if rest := s.session().stream("GET", "").next(); rest != "" {
		t.Errorf("%s", rest)
	}
	if cause := s.awaitEnds(1); cause != "idle" {
		t.Errorf("cause %s", cause)
	}
}
