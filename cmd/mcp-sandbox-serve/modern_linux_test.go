package main

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const meta = `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`

// modern is a client of 2026-07-28. Each request names its method, and its tool.
func (s *served) modern(headers ...string) *rawClient {
	return s.client(append(headers, "MCP-Protocol-Version: 2026-07-28")...)
}

// ask posts a message of that version.
func (c *rawClient) named(method, name string) *rawClient {
	own := *c
	own.header = c.header.Clone()
	own.header.Set("Mcp-Method", method)
	if own.header.Del("Mcp-Name"); name != "" {
		own.header.Set("Mcp-Name", name)
	}
	return &own
}

// tool is a call of a tool; more are members of _meta.
func (c *rawClient) tool(id, tool, text, more string) (*rawClient, string) {
	body := strings.Replace(call(id, tool, text, 0), `"params":{`, `"params":{"_meta":{`+meta+more+`},`, 1)
	return c.named("tools/call", tool), body
}

func (c *rawClient) ask(id, tool, text string) answer {
	c.Helper()
	own, body := c.tool(id, tool, text, "")
	return own.post(body)
}

func (c *rawClient) listen(id string) *eventStream {
	c.Helper()
	return c.named("subscriptions/listen", "").stream("POST", `{"jsonrpc":"2.0","id":`+id+
		`,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{`+meta+`}}}`)
}

// A principal has one sandbox, however many ask at once, and however their ids are alike.
func TestPrincipalsHaveOne(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			c := s.modern()
			if a := c.ask(`"same"`, "echo", "x").want(t, 200, `"id":"same"`); a.header.Get("Mcp-Session-Id") != "" {
				t.Error("a session id")
			}
		})
	}
	all.Wait()
	s.started(1)
	s.modern("Mcp-Session-Id: anything").ask("1", "echo", "").want(t, 200)
	for _, method := range []string{"GET", "DELETE"} {
		s.modern().send(method, "").want(t, 405)
	}
}

// Headers are what the message says, or proxies would go by something else.
func TestHeadersAgree(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern", patient)
	c := s.modern()
	_, body := c.tool("1", "echo", "", "")
	c.named("tools/call", "echo").post(body).want(t, 200)
	c.named("tools/call", "=?base64?ZWNobw==?=").post(body).want(t, 200)
	for name, own := range map[string]*rawClient{
		"no name": c.named("tools/call", ""), "another name": c.named("tools/call", "env"),
		"another method": c.named("ping", "echo"), "no base64": c.named("tools/call", "=?base64?***?="),
		"none": c, "another version": s.client("MCP-Protocol-Version: 2026-07-29").named("tools/call", "echo"),
		"no version": s.client().named("tools/call", "echo"),
	} {
		t.Run(name, func(t *testing.T) { own.post(body).want(t, 400, "-32020") })
	}
	uri := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b","_meta":{` + meta + `}}}`
	c.named("resources/read", "a:b").post(uri).want(t, 404, "-32601")
	c.named("resources/read", "a:c").post(uri).want(t, 400, "-32020")
	c.named("x", "").post(`{"jsonrpc":"2.0","id":1,"method":"x"}`).want(t, 400, "-32020")
	task := `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t","_meta":{` + meta + `}}}`
	c.named("tasks/get", "t").post(task).want(t, 404, "-32601") // of the server
	c.named("tasks/get", "").post(task).want(t, 404, "-32601")
	c.named("x", "").post(`{"jsonrpc":"2.0","id":1,"result":{}}`).want(t, 400)
	c.named("notifications/cancelled", "").post(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`).want(t, 202)
}

// Two clients with equal ids and tokens get each what is theirs, and a server that asks gets an error.
func TestNumbers(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern")
	a, b := s.modern(), s.modern()
	first, second := a.listen(`"l"`), b.listen(`"l"`)
	for _, e := range []*eventStream{first, second} {
		e.want("acknowledged", `"io.modelcontextprotocol/subscriptionId":"l"`)
	}
	a.ask("1", "change", "").want(t, 200, "done")
	first.want("tools/list_changed", `subscriptionId":"l"`)
	second.want("tools/list_changed", `subscriptionId":"l"`)
	own, body := a.tool("1", "progress", "", `,"progressToken":"t"`)
	running := own.stream("POST", body)
	running.want(`"progressToken":"t","progress":1.50`)
	running.want(`"id":1`)
	a.ask("1", "ask", "").want(t, 200, "-32601", "of-server")

	// the client that goes cancels, by the number that the server knows
	hang, body := a.tool(`"h"`, "hang", "", "")
	hang.stream("POST", body).stop()
	if heard := a.ask("2", "heard", "").want(t, 200, "notifications/cancelled", `requestId\":`); strings.Contains(heard.text, `requestId\":\"h`) {
		t.Error("cancelled by the client's id")
	}
}

// What a server makes up is dropped: numbers of others, numbers that are none, messages that may be anybody's.
func TestForgedNumbers(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern")
	victim := s.modern()
	held, body := victim.tool(`"held"`, "hang", "", `,"progressToken":"t"`)
	open := held.stream("POST", body) // number 1, or 2 after the trial's
	subscribed := victim.listen(`"sub"`)
	subscribed.want("acknowledged")
	attacker := s.modern()
	var lines []string
	for n := range 8 {
		lines = append(lines,
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"%d"}}`, n),
			fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"%d"}}}`, n),
			fmt.Sprintf(`{"jsonrpc":"2.0","id":"%d","result":{}}`, n))
	}
	for _, theirs := range []string{`"held"`, `"t"`, `"sub"`, "99", "-1", "null", "{}"} {
		lines = append(lines, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+theirs+`}}`,
			`{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":`+theirs+`}}}`,
			`{"jsonrpc":"2.0","id":`+theirs+`,"result":{}}`)
	}
	lines = append(lines, `{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
	a := attacker.ask("1", "raw", strings.Join(lines, "\n")).want(t, 200, "done")
	if strings.Contains(a.text, "held") {
		t.Error(a.text)
	}
	attacker.ask("2", "change", "").want(t, 200) // a positive control: the server's own numbers arrive
	if event := subscribed.next(); !strings.Contains(event, "tools/list_changed") {
		t.Errorf("first came %s", event)
	}
	attacker.ask("3", "only", `{"jsonrpc":"2.0","id":$ID,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":99}}}`).want(t, 200, "-32603")
	s.cmd.Process.Signal(sigterm)
	open.stop()
	if event := subscribed.next(); !strings.Contains(event, `"result"`) {
		t.Errorf("at the end came %s", event)
	}
	testbed.Receive(t, "serve's end", s.ended)
}

// A server of the versions before has no modern clients; its answer comes as text, without a sandbox.
func TestLegacyServer(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"legacy", "silent", "leaves"} {
		s := launch(t, mode)
		if a := s.modern().ask("1", "echo", "").want(t, 400, "initialize"); strings.HasPrefix(a.text, "{") || s.count("sandbox started") > 0 {
			t.Errorf("%s: %+v", mode, a)
		}
		s.session()
	}
}

// Errors have a status of their own where the answer stands alone.
func TestStatusOfErrors(t *testing.T) {
	t.Parallel()
	s := launch(t, "modern", patient)
	for code, status := range map[string]int{"-32601": 404, "-32602": 400, "-32020": 400, "-32021": 400, "-32022": 400, "-32603": 200, "7": 200} {
		s.modern().ask("1", "only", `{"jsonrpc":"2.0","id":$ID,"error":{"code":`+code+`,"message":"m"}}`).want(t, status, code)
	}
}
