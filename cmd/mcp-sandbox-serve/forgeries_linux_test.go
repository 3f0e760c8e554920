package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// S7: text of a server is one line of data, whatever it holds, and makes no header.
func TestEventsAreLines(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	c := s.session()
	evil := "{\"jsonrpc\":\"2.0\",\r\"method\":\"notifications/message\",\r\"params\":{\"data\":\"\u2028id: 7\\r\\ndata: x\\n\\n\"}}"
	e := c.stream("POST", call("1", "raw", evil, 0))
	text, err := io.ReadAll(e.events)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if line != "" && line != "event: message" && !strings.HasPrefix(line, `data: {"jsonrpc"`) || strings.Contains(line, "\r") {
			t.Errorf("line %q", line)
		}
	}
	if n := strings.Count(string(text), "data: {"); n != 2 || !strings.Contains(string(text), "\u2028id: 7") {
		t.Errorf("%d events: %q", n, text)
	}
}

// S9: nothing that is secret is in the log, the metrics or an error.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ann.env"), "PASSWORD=swordfish-1\nSHORT=abc\n")
	s := launch(t, "legacy", "--token-file", file, "--secrets", dir, "--env", "API_KEY=sesame-open-1",
		"--env", "FORWARDED_*", "--verbose")
	c := s.session(headers[0], "X-Secret: header-words")
	c.post(call("1", "stderr", "body-words swordfish-1 sesame-open-1 sesame-close-1 abc\x1b[31m", 0)).want(t, 200)
	c.post(call("2", "env", "", 0)).want(t, 200, "PASSWORD=swordfish-1", "API_KEY=sesame-open-1", "FORWARDED_KEY=sesame-close-1")
	c.post(call("3", "echo", "quiet-words", 0)).want(t, 200, "quiet-words")
	s.client("Authorization: Bearer wrong-token").post(initialize).want(t, 401)
	testbed.Await(t, "the line in the log", func() bool {
		return strings.Contains(s.said(), "[PASSWORD] [API_KEY] [FORWARDED_KEY] abc")
	})
	all := s.said() + c.metrics() + s.client().post(initialize).text
	for _, pid := range testbed.Children(s.cmd.Process.Pid) {
		args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || len(args) == 0 {
			t.Errorf("%v %q", err, args)
		}
		all += string(args)
	}
	all += c.post(call("4", "die", "", 0)).text + c.post(call("5", "echo", "", 0)).want(t, 404).text
	s.awaitEnds(1)
	all += s.said()
	for _, secret := range []string{"swordfish", "sesame", "quiet-words", strings.TrimPrefix(headers[0], "Authorization: Bearer "),
		c.header.Get("Mcp-Session-Id"), "wrong-token", "header-words", "\x1b"} {
		if strings.Contains(all, secret) {
			t.Errorf("%s is told", secret)
		}
	}
	args, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", s.cmd.Process.Pid))
	if err != nil || strings.Contains(string(args), "swordfish") {
		t.Errorf("%v %q", err, args)
	}
}

// S10: what stands twice is refused: another reader could take the second.
func TestTwice(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "modern", "--token-file", file)
	c := s.session(headers[0])
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	id := "Mcp-Session-Id: " + c.header.Get("Mcp-Session-Id")
	length := fmt.Sprintf("Content-Length: %d", len(ping))
	for _, try := range []struct {
		more   []string
		status int
	}{
		{[]string{length, id}, 200}, {[]string{length, "Content-Length: 1", id}, 400}, {[]string{length, id, id}, 400},
		{[]string{length, id, headers[1]}, 401},
		{[]string{length, id, "MCP-Protocol-Version: 2025-06-18", "MCP-Protocol-Version: 2025-11-25"}, 400},
		{[]string{length, id, "Mcp-Name: a", "Mcp-Name: a"}, 400}, {[]string{length, id, "Mcp-Method: a", "mcp-method: a"}, 400},
	} {
		conn, err := net.Dial("tcp", s.addr())
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nAccept: */*\r\n%s\r\n%s\r\n\r\n%s",
			s.addr(), headers[0], strings.Join(try.more, "\r\n"), ping)
		conn.SetReadDeadline(time.Now().Add(testbed.Patience()))
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%v: %v", try.more, err)
		}
		if r.StatusCode != try.status && !(try.status == 401 && r.StatusCode == 400) {
			t.Errorf("%v: %s", try.more, r.Status)
		}
		conn.Close()
	}
	for _, body := range []string{`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"Id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"x"}`, `{"jsonrpc":"2.0","id":1,"method":"ping","\u006dethod":"x"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":"a","name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"name":"a","Name":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_Meta":{}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"uri":"a","uri":"b"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1,"progressToken":2}}}`} {
		c.post(body).want(t, 400, "-32600")
	}
}

// S11: no header says who a client is, or sends its request elsewhere.
func TestForwardedHeaders(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann")
	s := launch(t, "legacy", "--token-file", file)
	for _, header := range []string{"X-Forwarded-User: ann", "X-Forwarded-For: 127.0.0.1", "Forwarded: for=127.0.0.1", "X-Remote-User: ann"} {
		s.client(header).post(initialize).want(t, 401)
	}
	s.session(headers[0], "X-Forwarded-User: bob")
	s.startedFor("ann")
	s.client(headers[0], "Mcp-Sandbox-Peer: x").post(initialize).want(t, 403)
}

// A path that a profile granted leads where it led when serve began, or no sandbox is started.
func TestLinkOfAnArgument(t *testing.T) {
	t.Parallel()
	folder := testbed.Folder(t)
	link, other := filepath.Join(folder, "link"), filepath.Join(folder, "other")
	for _, dir := range []string{filepath.Join(folder, "data"), other} {
		if err := errors.Join(os.Mkdir(dir, 0o777), os.Chmod(dir, 0o777)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(folder, 0o755), os.Symlink("data", link)); err != nil {
		t.Fatal(err)
	}
	s := launch(t, "", append([]string{"--profile", "npm:@modelcontextprotocol/server-filesystem", "--"}, words(t, "link-of-argument", "legacy", link)...)...)
	s.session()
	if err := errors.Join(os.Remove(link), os.Symlink("other", link)); err != nil {
		t.Fatal(err)
	}
	s.client().post(initialize).want(t, 500)
	testbed.Await(t, "the refusal in the log", func() bool {
		why, _ := s.field("sandbox refused", "error").(string)
		return strings.Contains(why, link+": leads elsewhere")
	})
}
