package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// entry is a server as an mcp.json names it; the client is this test, which is no shell.
type entry struct {
	args []string
	env  []string
	dir  string
}

// start starts an entry, and returns the report's first line and what was said.
func (e entry) start(t *testing.T) (first order.Enforced, code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(testbed.Folder(t), "report")
	cmd := exec.Command(self)
	cmd.Args = append([]string{"mcp-sandbox", "run", "--report", report}, e.args...)
	cmd.Dir = e.dir
	for _, own := range os.Environ() {
		if !strings.HasPrefix(own, "GO") && !strings.HasPrefix(own, "MCP_SANDBOX_") {
			cmd.Env = append(cmd.Env, own)
		}
	}
	cmd.Env = append(cmd.Env, e.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	if b, err := os.ReadFile(report); err == nil {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		json.Unmarshal(line, &first)
	}
	return first, cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// servers are variables without which real servers do not start.
var servers = []string{
	"SLACK_BOT_TOKEN SLACK_TEAM_ID", "GOOGLE_MAPS_API_KEY", "GITLAB_PERSONAL_ACCESS_TOKEN", "BRAVE_API_KEY", "FIGMA_API_KEY", "CLOUDFLARE_API_TOKEN",
	"PRIVATE_APP_ACCESS_TOKEN", "AIRTABLE_API_KEY", "LINEAR_ACCESS_TOKEN", "ES_API_KEY ES_URL", "PERPLEXITY_API_KEY", "NOTION_TOKEN",
}

// A server that needs a variable which its client set, and which was not forwarded: the line names the variable, and
// never the value. Rightly started nothing is said.
func TestVariablesOfAClient(t *testing.T) {
	const value = "s3cret-value"
	for i, list := range servers {
		names := strings.Fields(list)
		for _, n := range names {
			if notice.IsSession(n) || notice.IsSetting(n) == (n == "SLACK_TEAM_ID") {
				t.Errorf("%s: session %v, setting %v", n, notice.IsSession(n), notice.IsSetting(n))
			}
		}
		if testing.Short() && i > 1 && len(names) == 1 {
			continue // of a name nothing else decides
		}
		t.Run(names[0], func(t *testing.T) {
			e := entry{dir: "/"}
			script := ""
			var flags []string
			for _, n := range names {
				e.env = append(e.env, n+"="+value)
				script += `test -n "$` + n + `" || exit 1;`
				flags = append(flags, "--env", n)
			}
			server := []string{"--", "sh", "-c", script + "echo up"}
			e.args = server
			first, code, stdout, stderr := e.start(t)
			if code != 1 || stdout != "" || strings.Contains(stderr, value) {
				t.Errorf("code %d, %q, %q", code, stdout, stderr)
			}
			begin, end, _ := strings.Cut(stderr, "\n")
			for i, n := range names {
				if !strings.Contains(begin, "not forwarded to the server: ") || !strings.Contains(begin, "--env "+n) || !strings.Contains(end, n) {
					t.Errorf("%s is not named: %s", n, stderr)
				}
				if len(first.Notices) != len(names) || first.Notices[i].Kind != order.NoticeEnv || first.Notices[i].Name != n || first.Notices[i].Flag != "--env "+n {
					t.Errorf("%+v", first.Notices)
				}
			}
			e.args = append(flags, server...)
			if first, code, stdout, stderr = e.start(t); code != 0 || stdout != "up\n" || stderr != "" || len(first.Notices) > 0 {
				t.Errorf("rightly started: code %d, %q, %q, %+v", code, stdout, stderr, first.Notices)
			}
		})
	}
}

// What a person exported in a shell is no client's. Only where the server ends early it is named.
func TestVariablesOfAShell(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := testbed.Folder(t)
	if err := os.Symlink(self, filepath.Join(dir, "mcp-sandbox")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh")
	cmd.Stdin = strings.NewReader("cd /; export NOTION_TOKEN=x; PATH=" + dir + ":$PATH; mcp-sandbox run -- true; true\n")
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v, %q", err, out)
	}
	cmd = exec.Command("sh")
	cmd.Stdin = strings.NewReader("cd /; export NOTION_TOKEN=s3cret; PATH=" + dir + ":$PATH; mcp-sandbox run -- sh -c 'exit 3'; true\n")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "\n") != 1 || !strings.Contains(string(out), "Not given to it: variables ") ||
		!strings.Contains(string(out), "NOTION_TOKEN") && !strings.Contains(string(out), " more (--env)") || strings.Contains(string(out), "s3cret") {
		t.Errorf("at an early end: %v, %q", err, out)
	}
}

// In a container the client is often process 1, and so is what gets the orphans: only a client of the same session names
// variables.
func TestVariablesOfProcess1(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getuid() != 0 {
		t.Skip("only root makes a pid namespace of its own without another user namespace")
	}
	dir := testbed.Folder(t)
	if err := os.Symlink(self, filepath.Join(dir, "mcp-sandbox")); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "mcp-sandbox")
	for _, c := range []struct {
		name string
		by   []string
		want bool
	}{
		{"client", []string{"env", "NOTION_TOKEN=x"}, true},
		{"another session", []string{"setsid", "--wait", "env", "NOTION_TOKEN=x"}, false},
	} {
		words := append([]string{"-fp", "--mount-proc", "find", "/", "-maxdepth", "0", "-exec"}, c.by...)
		cmd := exec.Command("unshare", append(words, program, "run", "--", "true", ";")...)
		cmd.Dir = "/"
		out, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(out), "--env NOTION_TOKEN") != c.want {
			t.Errorf("%s: %v, %s", c.name, err, out)
		}
	}
}

// Arguments, variables and the working folder that the server does not see have a line each; what it sees has none.
func TestHiddenPaths(t *testing.T) {
	dir := testbed.Folder(t)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if err := os.Symlink(data, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	for _, c := range []struct {
		name string
		e    entry
		want []string // a part of each line
	}{
		{"argument", entry{args: []string{"--", "true", data}, dir: "/"}, []string{"argument " + data + " is not visible inside: --allow-read " + data}},
		{"argument of a flag", entry{args: []string{"--", "true", "--root=" + data}, dir: "/"}, []string{"argument " + data}},
		{"link", entry{args: []string{"--", "true", link}, dir: "/"}, []string{"argument " + link}},
		{"granted", entry{args: []string{"--allow-read", data, "--", "true", data, "--root=" + data + "/"}, dir: "/"}, nil},
		{"granted by the link", entry{args: []string{"--allow-read", link, "--", "true", data, link}, dir: "/"}, nil},
		{"granted, by a link that is not there", entry{args: []string{"--allow-read", data, "--", "true", link}, dir: "/"}, []string{"argument " + link}},
		{"denied", entry{args: []string{"--allow-read", dir, "--deny-read", data, "--", "true", data}, dir: "/"}, nil},
		{"base system", entry{args: []string{"--", "true", "/usr/bin", "/tmp", "/dev/null", "/proc/self", "/", "/no/such"}, dir: "/"}, nil},
		{"private", entry{args: []string{"--", "true", "/tmp/x"}, dir: "/"}, nil},
		{"variable", entry{args: []string{"--env", "KUBECONFIG=" + data, "--", "true"}, dir: "/"}, []string{"the path in variable KUBECONFIG exists"}},
		{"working folder", entry{args: []string{"--", "true"}, dir: data}, []string{"working folder "}},
		{"working folder, granted", entry{args: []string{"--allow-read", data, "--", "true"}, dir: data}, nil},
		{"working folder, named", entry{args: []string{"--cwd", "/usr", "--", "true"}, dir: data}, nil},
		{"quiet", entry{args: []string{"--quiet", "--", "sh", "-c", "exit 4", data}, dir: data, env: []string{"A_TOKEN=x"}}, nil},
		{"everything", entry{args: []string{"--level", "privileged", "--quiet", "--", "true", data}, dir: data}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, stderr := c.e.start(t)
			var lines []string
			for line := range strings.Lines(stderr) {
				lines = append(lines, line)
			}
			if len(lines) != len(c.want) {
				t.Fatalf("%q, want %q", lines, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(lines[i], "mcp-sandbox: "+want) || strings.Contains(lines[i], "KUBECONFIG") && strings.Contains(lines[i], data) {
					t.Errorf("%q, want %q", lines[i], want)
				}
			}
		})
	}
}

// What lies at an argument or in a variable decides the flag of the line, and that flag helps.
func TestSocketArgument(t *testing.T) {
	dir := testbed.Folder(t)
	at := filepath.Join(dir, "a.sock")
	l, err := net.Listen("unix", at)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := os.Chmod(at, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, e := range []entry{
		{args: []string{"--", "test", "-S", at}, dir: "/"},
		{args: []string{"--env", "AGENT=" + at, "--", "sh", "-c", `test -S "$AGENT"`}, dir: "/"},
	} {
		first, code, _, stderr := e.start(t)
		if code != 1 || !strings.Contains(stderr, "--allow-unix-socket ") || strings.Contains(stderr, "--allow-read") ||
			len(first.Notices) != 1 || !strings.HasPrefix(first.Notices[0].Flag, "--allow-unix-socket") {
			t.Errorf("code %d, %q, %+v", code, stderr, first.Notices)
		}
		e.args = append([]string{"--allow-unix-socket", at}, e.args...)
		if first, code, _, stderr = e.start(t); code != 0 || stderr != "" {
			t.Errorf("typed: code %d, %q, %+v", code, stderr, first.Notices)
		}
	}
}
