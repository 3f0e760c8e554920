package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
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
	for _, header := range []string{"Host: localhost", "Host: LocalHost:1", "Host: mcp.example", "Host: MCP.Example", "Host: [::1]:8080", "Origin: http://" + s.addr()} {
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
			if a.want(t, 500); a.text != "the sandbox was refused" {
				t.Errorf("%s", a.text)
			}
			testbed.Await(t, "the reason in the log", func() bool {
				told, _ := s.field("sandbox refused", "error").(string)
				return strings.Contains(told, "link.env")
			})
			continue
		}
		if a.status != 200 {
			t.Fatal(s.said())
		}
		c.header.Set("Mcp-Session-Id", a.want(t, 200).header.Get("Mcp-Session-Id"))
		c.post(call("1", "sh", "cat ~/mine; echo "+fmt.Sprint(i)+" >~/mine", 0)).want(t, 200, "No such file", "nil")
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
	if testing.Short() { // 10 s
		return
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

// found is the path of a file by its name.
func found(t testing.TB, folder, name string) (path string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(at string, e os.DirEntry, err error) error {
		if err == nil && e.Name() == name {
			path = at
		}
		return err
	})
	if err != nil || path == "" {
		t.Fatal(name, err)
	}
	return path
}

// S12: what a server fills, forks and kills in confinement full is its own sandbox's.
func TestServerFills(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", "--token-file", file, "--min-confinement", "full", "--tmp-size", "1M")
	ann, bob := s.session(headers[0]), s.session(headers[1])
	ann.post(call("1", "sh", "head -c 2M /dev/zero >/tmp/x", 0)).want(t, 200, "No space left")
	bob.post(call("1", "sh", "head -c 900K /dev/zero >/tmp/x", 0)).want(t, 200, "nil")
	ann.post(call("2", "sh", "for i in $(seq 50); do sleep 1000 & done; kill -9 -1", 0)).want(t, 200, "-32603", `"cause":"signal"`)
	bob.post(call("2", "echo", "", 0)).want(t, 200)
	s.session(headers[0]).post(call("1", "echo", "", 0)).want(t, 200)
}

// S6: a server has neither serve's descriptors nor its environment, files, ports, other homes and processes.
func TestServersSeeNothing(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	s := launch(t, "legacy", "--token-file", file, "--min-confinement", "full", "--state", "seen", "--admin-listen", "127.0.0.1:0")
	ann, bob := s.session(headers[0]), s.session(headers[1])
	ann.post(call("1", "sh", "echo here >~/mine; cat ~/mine", 0)).want(t, 200, "here")
	admin, _ := s.field("listening", "admin").(string)
	connect := func(address string) string {
		return "exec 3<>/dev/tcp/" + strings.Replace(strings.TrimPrefix(address, "http://"), ":", "/", 1)
	}
	for _, try := range []string{"cat " + file, fmt.Sprintf("cat /proc/%d/environ", s.cmd.Process.Pid), "cat " + found(t, s.home, "mine"),
		fmt.Sprintf("ls /proc/%d/fd", s.cmd.Process.Pid), connect(s.addr()), connect(admin)} {
		if out, err := exec.Command("bash", "-c", try).CombinedOutput(); err != nil {
			t.Errorf("outside of the sandbox: %s: %s, %v", try, out, err)
		}
		if a := bob.post(call("1", "sh", "bash -c '"+try+"' || exit 9", 0)).want(t, 200); !strings.Contains(a.text, "exit status 9") {
			t.Errorf("%s: %s", try, a.text)
		}
	}
	bob.post(call("1", "sh", "bash -c 'cat ~/mine' || exit 9", 0)).want(t, 200, "exit status 9")
	bob.post(call("1", "sh", "bash -c 'cat /proc/self/comm' || exit 9", 0)).want(t, 200, "nil")
	bob.post(call("2", "sh", "ls /proc/self/fd", 0)).want(t, 200, `0\n1\n2\n3\n`)
	// one digit: init, the server, the shell and its commands
	bob.post(call("3", "sh", "ls /proc | grep -c '^[0-9]' | grep -x '[1-9]' && echo few", 0)).want(t, 200, "few")
}
