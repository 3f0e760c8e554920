package launcher_test

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// times are how long a session's ends took.
type times struct{ Initialize, Close time.Duration }

// Go drives the server that cmd starts by the official Go SDK, makes every call and closes the session.
//
// The client offers no roots: server-everything asks for them 350 ms after initialize, and when the session is closed
// before that it waits 60 s for the answer.
func (s subject) Go(ctx context.Context, tb testing.TB, cmd *exec.Cmd) times {
	tb.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "testbed", Version: "1"},
		&mcp.ClientOptions{Capabilities: &mcp.ClientCapabilities{}})
	start := time.Now()
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: testbed.Patience()}, nil)
	if err != nil {
		tb.Fatalf("%s: connect: %v", s.Name, err)
	}
	times := times{Initialize: time.Since(start)}
	if got := session.InitializeResult().ServerInfo.Name; got != s.Server {
		tb.Errorf("server %q, want %q", got, s.Server)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		tb.Fatalf("%s: tools/list: %v", s.Name, err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	s.checkTools(tb, names)
	for _, c := range s.Calls {
		answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: c.Name, Arguments: c.Arguments})
		if err != nil { // an unknown tool may be an error of the protocol instead of a result
			c.check(tb, true, err.Error())
			continue
		}
		text := ""
		if len(answer.Content) > 0 {
			if first, ok := answer.Content[0].(*mcp.TextContent); ok {
				text = first.Text
			}
		}
		c.check(tb, answer.IsError, text)
	}
	s.rest(ctx, tb, session)
	start = time.Now()
	if err := session.Close(); err != nil {
		tb.Errorf("%s: close: %v", s.Name, err)
	}
	times.Close = time.Since(start)
	return times
}

// rest is what a session holds beside tools: a ping, and the resources of a server that has some.
func (s subject) rest(ctx context.Context, tb testing.TB, session *mcp.ClientSession) {
	tb.Helper()
	if err := session.Ping(ctx, nil); err != nil {
		tb.Errorf("%s: ping: %v", s.Name, err)
	}
	if session.InitializeResult().Capabilities.Resources == nil {
		return
	}
	list, err := session.ListResources(ctx, nil)
	if err != nil || len(list.Resources) == 0 {
		tb.Errorf("%s: resources/list: %v, %+v", s.Name, err, list)
		return
	}
	read, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: list.Resources[0].URI})
	if err != nil || len(read.Contents) == 0 {
		tb.Errorf("%s: resources/read: %v, %+v", s.Name, err, read)
	}
}

// TypeScript drives the server that words start by the official TypeScript SDK, as Go does.
func (s subject) TypeScript(ctx context.Context, tb testing.TB, words []string) times {
	tb.Helper()
	do := scenario{Command: words[0], Args: words[1:]}
	for _, c := range s.Calls {
		do.Calls = append(do.Calls, c.request)
	}
	got := typeScriptClient(ctx, tb, do)
	if got.Error != "" || got.Server.Name != s.Server || len(got.Results) != len(s.Calls) {
		tb.Fatalf("%s: error %q, server %q, %d results of %d; stderr %q",
			s.Name, got.Error, got.Server.Name, len(got.Results), len(s.Calls), got.Stderr)
	}
	s.checkTools(tb, got.Tools)
	for i, c := range s.Calls {
		text := ""
		if len(got.Results[i].Content) > 0 {
			text = got.Results[i].Content[0].Text
		}
		c.check(tb, got.Results[i].IsError, text)
	}
	ms := func(f float64) time.Duration { return time.Duration(f * float64(time.Millisecond)) }
	return times{Initialize: ms(got.InitializeMs), Close: ms(got.CloseMs)}
}

func (s subject) checkTools(tb testing.TB, got []string) {
	tb.Helper()
	for _, name := range s.Tools {
		if !slices.Contains(got, name) {
			tb.Errorf("%s: tool %s is not in %v", s.Name, name, got)
		}
	}
}

func (c exchange) check(tb testing.TB, isError bool, text string) {
	tb.Helper()
	if isError != c.Refused || !strings.Contains(text, c.Want) {
		tb.Errorf("%s %s: error %v, said %q; want error %v and %q", c.Name, c.Arguments, isError, text, c.Refused, c.Want)
	}
}
