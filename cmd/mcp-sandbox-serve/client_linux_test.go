package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A rawClient asks by plain HTTP.
type rawClient struct {
	*served
	http   *http.Client
	header http.Header
}

// An answer is what came back.
type answer struct {
	status int
	header http.Header
	text   string
}

func (s *served) client(headers ...string) *rawClient {
	c := &rawClient{served: s, http: &http.Client{Transport: &http.Transport{}}, header: http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		c.header[http.CanonicalHeaderKey(name)] = []string{value}
	}
	s.Cleanup(c.http.CloseIdleConnections)
	return c
}

// unix is a client of a socket.
func (c *rawClient) unix(path string) *rawClient {
	c.http.Transport = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", path)
	}}
	return c
}

// start sends a request whose answer is read later.
func (c *rawClient) start(ctx context.Context, method, body string) (*http.Response, error) {
	url := c.url
	if strings.HasPrefix(url, "unix:") {
		url = "http://localhost/mcp"
	}
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = c.header.Clone()
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	return c.http.Do(r)
}

func (c *rawClient) send(method, body string) answer {
	c.Helper()
	ctx, stop := context.WithTimeout(c.Context(), testbed.Patience())
	defer stop()
	r, err := c.start(ctx, method, body)
	if err != nil {
		c.Fatalf("%s %.200s: %v\n%s", method, body, err, c.said())
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		c.Fatalf("%s %.200s: %v", method, body, err)
	}
	return answer{r.StatusCode, r.Header, strings.TrimSpace(string(text))}
}

func (c *rawClient) post(body string) answer { c.Helper(); return c.send("POST", body) }

// want demands a status, and words in the text.
func (a answer) want(t testing.TB, status int, has ...string) answer {
	t.Helper()
	for _, word := range has {
		if !strings.Contains(a.text, word) {
			t.Errorf("no %s in %.300s", word, a.text)
		}
	}
	if a.status != status {
		t.Errorf("status %d, want %d: %.300s", a.status, status, a.text)
	}
	return a
}

const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`

// session is a client with a legacy session.
func (s *served) session(headers ...string) *rawClient {
	s.Helper()
	c := s.client(headers...)
	a := c.post(initialize).want(s, 200, `"serverInfo"`)
	c.header.Set("Mcp-Session-Id", a.header.Get("Mcp-Session-Id"))
	if c.header.Get("Mcp-Session-Id") == "" {
		s.Fatal("no session id")
	}
	return c
}

// call is the message of a call of the stub's tools.
func call(id, tool, text string, n int) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"text":%s,"n":%d}}}`,
		id, tool, quoted, n)
}

// An eventStream is an answer of events.
type eventStream struct {
	*rawClient
	response *http.Response
	events   *bufio.Reader
	stop     context.CancelFunc
}

// stream sends a request that a stream answers.
func (c *rawClient) stream(method, body string) *eventStream {
	c.Helper()
	ctx, stop := context.WithCancel(c.Context())
	c.Cleanup(stop)
	r, err := c.start(ctx, method, body)
	if err != nil {
		c.Fatal(err)
	}
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(r.Body)
		c.Fatalf("%d %v %s", r.StatusCode, r.Header, text)
	}
	return &eventStream{c, r, bufio.NewReader(r.Body), stop}
}

// next is the data of the next event; "" at the end.
func (e *eventStream) next() string {
	e.Helper()
	got := make(chan string, 1)
	go func() {
		for {
			line, err := e.events.ReadString('\n')
			if data, ok := strings.CutPrefix(line, "data: "); ok || err != nil {
				got <- strings.TrimSuffix(data, "\n")
				return
			}
		}
	}()
	return testbed.Receive(e, "an event", got)
}

func (e *eventStream) want(words ...string) string {
	e.Helper()
	event := e.next()
	for _, word := range words {
		if !strings.Contains(event, word) {
			e.Errorf("no %s in the event %.300q", word, event)
		}
	}
	return event
}
