package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// team writes a file of tokens, and returns it with the header of each principal.
func team(t testing.TB, names ...string) (file string, headers []string) {
	t.Helper()
	text := "# the team\n\n"
	for _, name := range names {
		token, line := principal.NewToken(name)
		text += line
		headers = append(headers, "Authorization: Bearer "+token)
	}
	file = filepath.Join(t.TempDir(), "tokens")
	write(t, file, text)
	return file, headers
}

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// S1: another principal's session, a guessed one and a cut one are answered alike, and found by nobody.
func TestForeignSessions(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", "--token-file", file)
	ann := s.session(headers[0])
	id := ann.header.Get("Mcp-Session-Id")
	unknown := s.client(headers[1], "Mcp-Session-Id: 10.0.0.1.AAAAAAAAAAAAAAAAAAAAAAAAAA").post(call("1", "echo", "", 0))
	unknown.want(t, 404)
	for name, header := range map[string]string{"another's": id, "cut": id[:len(id)-1], "longer": id + "A", "lower": strings.ToLower(id)} {
		bob := s.client(headers[1], "Mcp-Session-Id: "+header)
		for _, a := range []answer{bob.post(call("1", "echo", "", 0)), bob.send("GET", ""), bob.send("DELETE", "")} {
			if a.status != 404 || a.text != unknown.text || len(a.header) != len(unknown.header) {
				t.Errorf("%s: %+v, unknown %+v", name, a, unknown)
			}
		}
	}
	ann.post(call("1", "echo", "", 0)).want(t, 200)
}

// S2: a web page's requests, by another name of the address, of another origin or as a form, start nothing.
func TestWebPages(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy", "--allow-origin", "https://app.example", "--allow-host", "mcp.example")
	port := s.url[strings.LastIndexByte(s.url, ':'):]
	for header, status := range map[string]int{
		"Host: evil.example": 403, "Host: evil.example" + strings.TrimSuffix(port, "/mcp"): 403, "Host: 127.0.0.1.evil.example": 403,
		"Origin: null": 403, "Origin: http://evil.example": 403, "Origin: http://localhost:1": 403,
		"Content-Type: text/plain": 415, "Content-Type: application/x-www-form-urlencoded": 415,
	} {
		s.client(header).post(initialize).want(t, status)
	}
	if n := s.count("sandbox started"); n != 0 {
		t.Errorf("%d sandboxes", n)
	}
	for _, header := range []string{"Host: localhost", "Host: mcp.example", "Host: [::1]:8080", "Origin: http://" + s.addr()} {
		s.client(header).post(initialize).want(t, 200)
	}
	web := s.client("Origin: https://app.example")
	if h := web.post(initialize).want(t, 200).header; h.Get("Access-Control-Allow-Origin") != "https://app.example" ||
		!strings.Contains(h.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
		t.Errorf("%v", h)
	}
	if h := web.send("OPTIONS", "").want(t, 204).header; !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Mcp-Session-Id") {
		t.Errorf("%v", h)
	}
}

// addr is the address that serve listens on.
func (s *served) addr() string {
	return strings.TrimSuffix(strings.TrimPrefix(s.url, "http://"), "/mcp")
}

// S4: principals whose names are paths, long, or another's but for the case, have their own state and no file of others.
func TestNamesOfPrincipals(t *testing.T) {
	t.Parallel()
	names := []string{"ann", "Ann", "an", "../ann", "a/b", ".", "..", ".ann", "link", strings.Repeat("n", 255)}
	file, headers := team(t, names...)
	dir := filepath.Join(t.TempDir(), "secrets")
	if err := os.MkdirAll(filepath.Join(dir, "a"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]string{"ann": "ann", "a/b": "b", ".": "dot", "..": "dots", ".ann": "hidden", "../ann": "above"} {
		write(t, filepath.Join(dir, name+".env"), "SECRET=secret of "+of+"\n")
	}
	if err := os.Symlink("ann.env", filepath.Join(dir, "link.env")); err != nil {
		t.Fatal(err)
	}
	s := launch(t, "legacy", "--token-file", file, "--secrets", dir, "--state", "of-a-test", "--max-sandboxes", "20")
	homes := map[string]bool{}
	for i, name := range names {
		c := s.client(headers[i])
		a := c.post(initialize)
		if name == "link" {
			a.want(t, 500)
			continue
		}
		if a.status != 200 {
			t.Fatal(s.said())
		}
		c.header.Set("Mcp-Session-Id", a.want(t, 200).header.Get("Mcp-Session-Id"))
		c.post(call("1", "sh", "echo "+fmt.Sprint(i)+" >~/mine", 0)).want(t, 200, "nil")
		env := c.post(call("2", "env", "", 0)).want(t, 200).text
		if has := strings.Contains(env, "secret of"); has != (name == "ann") || has && !strings.Contains(env, "secret of ann") {
			t.Errorf("%.20s has the secrets of another: %s", name, env)
		}
		if strings.Contains(env, "SECRET_OF_SERVE") {
			t.Error("serve's own environment reached a server")
		}
		seen := c.post(call("3", "sh", "cat ~/mine; ls -A ~ | wc -l", 0)).text
		if homes[seen] || !strings.Contains(seen, fmt.Sprint(i)+`\n`) {
			t.Errorf("%.20s sees %s", name, seen)
		}
		homes[seen] = true
	}
	again := s.session(headers[0])
	again.post(call("1", "sh", "cat ~/mine", 0)).want(t, 200, `0\n`)
}

// S5: many sessions and streams of one principal are its own limit, slow headers end, and others are served.
func TestOneOfMany(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", "--token-file", file, "--max-per-principal", "2", "--max-requests", "3")
	var all sync.WaitGroup
	var mu sync.Mutex
	found := map[int]int{}
	for range 200 {
		all.Go(func() {
			a := s.client(headers[0]).post(initialize)
			mu.Lock()
			defer mu.Unlock()
			found[a.status]++
		})
	}
	for range 50 { // slow headers
		c, err := net.Dial("tcp", s.addr())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		io.WriteString(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX")
	}
	s.session(headers[1]).post(call("1", "echo", "", 0)).want(t, 200)
	all.Wait()
	if found[200] != 2 || found[429] != 198 {
		t.Errorf("%v", found)
	}
	huge := s.client(headers[0], "X: "+strings.Repeat("x", 80<<10))
	if a := huge.post(initialize); a.status != 431 {
		t.Errorf("80 kB of headers: %+v", a)
	}
	slow, err := net.Dial("tcp", s.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	slow.SetDeadline(time.Now().Add(testbed.Patience()))
	io.WriteString(slow, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ")
	began := time.Now()
	io.Copy(io.Discard, slow)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("slow headers were waited for for %v", took)
	}
}

// S6: a server has neither serve's descriptors nor its environment, files, ports, other homes and processes.
func TestServersSeeNothing(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", "--token-file", file, "--min-confinement", "full")
	ann, bob := s.session(headers[0]), s.session(headers[1])
	ann.post(call("1", "sh", "echo here >~/mine; cat ~/mine", 0)).want(t, 200, "here")
	for _, try := range []string{"cat " + file, fmt.Sprintf("cat /proc/%d/environ", s.cmd.Process.Pid), "cat ~/mine",
		fmt.Sprintf("ls /proc/%d/fd", s.cmd.Process.Pid), "exec 3<>/dev/tcp/" + strings.Replace(s.addr(), ":", "/", 1)} {
		if a := bob.post(call("1", "sh", "bash -c '"+try+"' || exit 9", 0)).want(t, 200); !strings.Contains(a.text, "exit status 9") {
			t.Errorf("%s: %s", try, a.text)
		}
	}
	bob.post(call("2", "sh", "ls /proc/self/fd", 0)).want(t, 200, `0\n1\n2\n3\n`)
	// one digit: init, the server, the shell and its commands
	bob.post(call("3", "sh", "ls /proc | grep -c '^[0-9]' | grep -x '[1-9]' && echo few", 0)).want(t, 200, "few")
}

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
	s := launch(t, "legacy", "--token-file", file, "--secrets", dir, "--env", "API_KEY=sesame-open-1", "--verbose")
	c := s.session(headers[0], "X-Secret: header-words")
	c.post(call("1", "stderr", "body-words swordfish-1 sesame-open-1 abc\x1b[31m", 0)).want(t, 200)
	c.post(call("2", "env", "", 0)).want(t, 200, "PASSWORD=swordfish-1", "API_KEY=sesame-open-1")
	s.client("Authorization: Bearer wrong-token").post(initialize).want(t, 401)
	testbed.Await(t, "the line in the log", func() bool { return strings.Contains(s.said(), "[PASSWORD] [API_KEY] abc") })
	all := s.said() + c.metrics() + s.client().post(initialize).text
	for _, secret := range []string{"swordfish", "sesame", strings.TrimPrefix(headers[0], "Authorization: Bearer "),
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
	if who := s.field("sandbox started", "principal"); who != "ann" {
		t.Errorf("%v", who)
	}
	s.client(headers[0], "Mcp-Sandbox-Peer: x").post(initialize).want(t, 403)
}
