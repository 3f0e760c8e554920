package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/principal"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Bad input is one clear line with what to type, exit status 125, and nothing on standard output.
func TestUsage(t *testing.T) {
	t.Parallel()
	folder, stub := testbed.Folder(t), testbed.Self(t, "stub")
	file, link := filepath.Join(folder, "tokens"), filepath.Join(testbed.Folder(t), "tokens")
	_, line := principal.NewToken("ann")
	if err := errors.Join(os.Chmod(folder, 0o755), os.WriteFile(file, []byte(line), 0o644), os.Symlink(file, link)); err != nil {
		t.Fatal(err) // root's servers have another user
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	at := taken.Addr().String() // where a fault does not end in a serve that serves
	run := func(words ...string) (code int, out, errs string) {
		cmd := testbed.As("serve", words...)
		cmd.Env = []string{"HOME=" + testbed.Folder(t), "PATH=/usr/bin:/bin", testbed.NoWait}
		return testbed.Finish(t, cmd)
	}
	for words, want := range map[string]string{
		"":                                  "no command",
		"--listen 0.0.0.0:1 -- x":           "--token-file",
		"--listen 8081 -- x":                "HOST:PORT",
		"--listen localhost -- x":           "HOST:PORT",
		"--listen unix:@x -- x":             "that of a file",
		"--admin-listen unix: -- x":         "that of a file",
		"token #ann":                        "PRINCIPAL",
		"-- env npx -y x":                   "registry",
		"token --help":                      "PRINCIPAL",
		"--listen :1 --token-file f -- x":   "--plain-http",
		"--token-file f --client-ca f -- x": "only one of them",
		"--tls-cert f -- x":                 "--tls-key",
		"--client-ca f -- x":                "--tls-cert",
		"--oidc-issuer https://x -- x":      "--audience",
		"--oidc-issuer http://x.example --audience a -- " + stub:                                            "https",
		"--proxy-header H --proxy-uid 1 -- x":                                                               "unix:",
		"--listen unix:/x --proxy-header H --proxy-uid x -- " + stub:                                        "--proxy-uid",
		"--token-file /nowhere -- " + stub:                                                                  "/nowhere",
		"--secrets /nowhere -- " + stub:                                                                     "no folder",
		"--secrets " + file + " -- " + stub:                                                                 "no folder",
		"--listen " + at + " --token-file " + file + " --allow-read " + filepath.Dir(file) + " -- " + stub:  "every server may read",
		"--listen " + at + " --secrets " + filepath.Dir(file) + " --allow-read " + file + " -- " + stub:     "every server may read",
		"--state " + strings.Repeat("s", 31) + " -- x":                                                      "30 characters",
		"--listen " + at + " --token-file /usr/bin/env -- " + stub:                                          "every server may read /usr/bin/env",
		"--listen " + at + " --secrets /usr/share -- " + stub:                                               "every server may read /usr/share",
		"--listen " + at + " --token-file " + link + " --allow-write " + filepath.Dir(link) + " -- " + stub: "by a link that the server can change",
		"--idle 1s --idle 2s -- x":                                                                          "twice",
		"--listen 127.0.0.1: -- x":                                                                          "HOST:PORT",
		"--max-sandboxes 0 -- x":                                                                            "from 1 on",
		"--idle 0 -- x":                                                                                     "90s",
		"--idle soon -- x":                                                                                  "90s",
		"--log xml -- x":                                                                                    "text or json",
		"--allow-raed /x -- x":                                                                              "--allow-read",
		"token":                                                                                             "PRINCIPAL",
	} {
		code, out, errs := run(strings.Fields(words)...)
		last := strings.TrimSpace(errs[strings.LastIndexByte(strings.TrimSpace(errs), '\n')+1:])
		if code != 125 || out != "" || !strings.Contains(last, want) || !strings.HasPrefix(last, "mcp-sandbox: ") {
			t.Errorf("%s: %d, said %q and %q, want %s", words, code, out, errs, want)
		}
	}
	for _, c := range []struct{ listen, admin, command, code, says string }{
		{"127.0.0.1:0", "127.0.0.1:0", "/no/such/server", "127", "no such file"},
		{"127.0.0.1:0", "127.0.0.1:0", "/etc/passwd", "126", "permission denied"},
		{at, "127.0.0.1:0", "/no/such/server", "125", "--listen " + at + ": "}, // before anything is started
		{"127.0.0.1:0", at, "/no/such/server", "125", "--admin-listen " + at + ": "},
	} {
		code, out, errs := run("--listen", c.listen, "--admin-listen", c.admin, "--", c.command)
		if strconv.Itoa(code) != c.code || out != "" || !strings.Contains(errs, "mcp-sandbox: ") || !strings.Contains(errs, c.says) ||
			strings.Contains(errs, "sandbox refused") {
			t.Errorf("%+v: %d %s", c, code, errs)
		}
	}
}

// The manual page has every flag, and nothing that mandoc has to say against.
func TestManual(t *testing.T) {
	t.Parallel()
	code, page, errs := testbed.Finish(t, testbed.As("serve", "--man"))
	c := command(session.Usual())
	for _, l := range c.Flags().Lines {
		if flag := strings.ReplaceAll("--"+l.Name, "-", `\-`); l.Name != "" && !strings.Contains(page, "\n\\fB"+flag+`\fR`) {
			t.Errorf("no --%s", l.Name)
		}
	}
	if code != 0 || errs != "" || !strings.HasPrefix(page, `.TH "MCP-SANDBOX-SERVE" "1"`) {
		t.Errorf("%d %.200s %s", code, page, errs)
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		testbed.Missing(t, "mandoc", "no mandoc on this machine: the manual page is not looked at")
	}
	lint := exec.Command(mandoc, "-T", "lint", "-W", "warning")
	lint.Stdin = strings.NewReader(page)
	if out, err := lint.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// token prints the file's line, and the token where no file takes it.
func TestTokenCommand(t *testing.T) {
	t.Parallel()
	code, line, token := testbed.Finish(t, testbed.As("serve", "token", "ann of the team"))
	want := fmt.Sprintf("ann of the team sha256:%x\n", sha256.Sum256([]byte(strings.TrimSpace(token))))
	if code != 0 || line != want || len(token) < 33 {
		t.Errorf("%d %q %q", code, line, token)
	}
}

// mcp-sandbox serve is this program where it lies beside, and says what to install where not.
func TestServeCommand(t *testing.T) {
	t.Parallel()
	program, dir := testbed.Command(t, "mcp-sandbox"), testbed.Folder(t)
	alone := filepath.Join(dir, "mcp-sandbox")
	copyOf(t, program, alone)
	if code, out, errs := testbed.Finish(t, exec.Command(alone, "serve", "token", "ann")); code != 125 || out != "" ||
		!strings.Contains(errs, "install mcp-sandbox-serve") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if err := os.Symlink(testbed.Command(t, "mcp-sandbox-serve"), filepath.Join(dir, "mcp-sandbox-serve")); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{"serve token ann": "ann sha256:", "help serve": "Usage: mcp-sandbox serve ",
		"help --man serve": `.TH "MCP-SANDBOX-SERVE"`} {
		code, out, _ := testbed.Finish(t, exec.Command(alone, strings.Fields(words)...))
		if code != 0 || !strings.HasPrefix(out, want) {
			t.Errorf("%s: %d %s", words, code, out)
		}
	}
}

// copyOf copies a program by another process: one that another test starts meanwhile would have it open for writing, and
// execve(2) would say ETXTBSY.
func copyOf(t *testing.T, program, path string) {
	t.Helper()
	if out, err := exec.Command("cp", "-L", program, path).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
}

// A server that wants its secret is asked for its version in the first client's sandbox.
func TestWantsSecret(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann", "bob")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "ann.env"), "SECRET=of ann\n")
	s := launch(t, "wantsSecret", "--token-file", file, "--secrets", dir)
	if era := s.field("probed", "server"); era != "unknown" {
		t.Errorf("%v", era)
	}
	s.modern(headers[0]).ask("1", "env", "").want(t, 200, "SECRET=of ann")
	s.modern(headers[1]).ask("1", "env", "").want(t, 200)
}

// Health and metrics have an address of their own; on the main one metrics ask for a principal.
func TestAdmin(t *testing.T) {
	t.Parallel()
	file, headers := team(t, "ann")
	s := launch(t, "legacy", "--token-file", file)
	at := func(url string, headers ...string) *rawClient {
		c := s.client(headers...)
		c.served = &served{TB: t, url: url}
		return c
	}
	base := strings.TrimSuffix(s.url, "/mcp")
	at(base+"/metrics").send("GET", "").want(t, 401)
	at(base+"/healthz").send("GET", "").want(t, 200)
	s.session(headers[0])
	metrics := at(base+"/metrics", headers[0]).send("GET", "").want(t, 200, `sandboxes{era="legacy"} 1`, `request_seconds_bucket{le="+Inf"}`)
	line := regexp.MustCompile(`^(# TYPE mcp_sandbox_serve_[a-z_]+ (gauge|counter|histogram)|mcp_sandbox_serve_[a-z_]+(\{[a-z]+="[^"]*"\})? [0-9.e+-]+)$`)
	for text := range strings.Lines(metrics.text) {
		if !line.MatchString(strings.TrimSpace(text)) || strings.Contains(text, "ann") {
			t.Errorf("%s", text)
		}
	}
	s = launch(t, "legacy", "--token-file", file, "--admin-listen", "127.0.0.1:0")
	admin, _ := s.field("listening", "admin").(string)
	at(admin+"/metrics").send("GET", "").want(t, 200, "sandboxes")
	at(admin+"/mcp").send("POST", initialize).want(t, 404)
	at(strings.TrimSuffix(s.url, "/mcp")+"/healthz").send("GET", "").want(t, 404)
}

// SIGTERM under load loses no call that had reached a server.
func TestLoad(t *testing.T) {
	t.Parallel()
	s := launch(t, "legacy")
	var all sync.WaitGroup
	var done, lost atomic.Int32
	clients := []*rawClient{s.session(), s.session(), s.session()}
	for _, c := range clients {
		for n := range 10 {
			all.Go(func() {
				for i := range 1000 {
					r, err := c.start(t.Context(), "POST", call(fmt.Sprintf(`"%d-%d"`, n, i), "wait", "", 5))
					if err != nil {
						return // serve takes no connections any more, or none that was quiet until now
					}
					text, err := io.ReadAll(r.Body)
					r.Body.Close()
					if err != nil || r.StatusCode == 200 && !strings.Contains(string(text), "done") {
						lost.Add(1)
						t.Errorf("%s %v", text, err)
					}
					if r.StatusCode != 200 {
						return // 404 or 503: it had not reached a server
					}
					done.Add(1)
				}
			})
		}
	}
	testbed.Await(t, "calls", func() bool { return done.Load() > 100 })
	s.cmd.Process.Signal(sigterm)
	testbed.Receive(t, "serve's end", s.ended)
	all.Wait()
	reached := -(1 + len(clients)) // by the trial and initialize
	for _, part := range regexp.MustCompile(`"sandbox ended".*"requests":(\d+)`).FindAllStringSubmatch(s.said(), -1) {
		n, _ := strconv.Atoi(part[1])
		reached += n
	}
	if code := s.cmd.ProcessState.ExitCode(); code != 0 || lost.Load() > 0 || len(s.processes()) > 0 || reached != int(done.Load()) {
		t.Errorf("%d, %d calls reached a server, %d were answered, %d lost\n%s", code, reached, done.Load(), lost.Load(), s.said())
	}
}
