package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/explain"
)

// One policy has one verdict, whichever command reads it: what is wide or dangerous, and nothing else, is named by
// policy check and explain, by plan and the report of run, and by wrap and status, in the same words.
func TestOneVerdict(t *testing.T) {
	k := newKeeper(t)
	file := filepath.Join(k.home, ".config/mcp-sandbox/policies/cursor/s.json")
	for name, text := range map[string]string{file: "", k.home + "/.cursor/mcp.json": `{"mcpServers": {"s": {"command": "/usr/bin/true"}}}`} {
		fine(t, errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)))
	}
	fine(t, os.Symlink(".local/state/mcp-sandbox/state", k.home+"/link"))
	if out, err := k.command("run", "--state", "taken", "--", "true").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []struct {
		doc  string
		want []string // verdicts at pointers
	}{
		{`"filesystem": {"allowRead": ["-~/notes"]}`, nil},
		{`"state": "mine"`, nil},
		{`"state": "taken"`, []string{"/state: dangerous"}},
		{`"filesystem": {"allowRead": ["-~/.local/state/mcp-sandbox/state/none"]}`, []string{"/filesystem/allowRead/0: dangerous"}},
		{`"filesystem": {"allowRead": ["-~/link/none"]}`, []string{"/filesystem/allowRead/0: dangerous"}},
		{`"filesystem": {"allowRead": ["-~/none", "-~/.ssh"]}, "limits": {"memory": "unlimited"}`, []string{"/filesystem/allowRead/1: dangerous", "/limits/memory: wide"}},
		{`"network": {"allowedDomains": ["*.github.io"]}, "env": {"https_proxy": "http://ann:mellon@127.0.0.1:8080"}`, []string{"/network/allowedDomains/0: wide", "/env/https_proxy: wide"}},
		{`"env": {"SSL_CERT_DIR": "/etc/none"}`, nil},
		{`"level": "network", "filesystem": {"allowRead": ["-~/.aws"]}`, []string{"/level: dangerous", "/filesystem/allowRead/0: dangerous", "/level: dangerous"}},
		{`"level": "network", "minConfinement": "reduced", "filesystem": {"allowRead": ["~"], "denyRead": ["~"]}`, []string{"/level: dangerous", "/filesystem/allowRead/0: dangerous", "/level: dangerous"}},
	} {
		fine(t, os.WriteFile(file, []byte(`{"version": 1, `+c.doc+`}`), 0o644))
		says := saidOf(k, file)
		checked := says["check"]
		for i, want := range c.want {
			if len(checked) != len(c.want) || !strings.HasPrefix(checked[i], want+": ") {
				t.Errorf("%s: want %v, not %q", c.doc, c.want, checked)
				break
			}
		}
		if len(c.want) == 0 && len(checked) > 0 {
			t.Errorf("%s: %q", c.doc, checked)
		}
		for command, lines := range says {
			if !slices.Equal(lines[:min(len(checked), len(lines))], checked) || strings.Contains(strings.Join(lines, ""), "mellon") {
				t.Errorf("%s: %s says %q, and check %q", c.doc, command, lines, checked)
			}
			if extra := lines[min(len(checked), len(lines)):]; slices.ContainsFunc(extra, func(l string) bool { return l[0] == '/' }) {
				t.Errorf("%s: %s says %q too", c.doc, command, extra)
			}
		}
	}
}

// saidOf are the lines of each command on the policy of a file, which is that of a server of cursor's.
func saidOf(k keeper, file string) map[string][]string {
	k.t.Helper()
	var checked, explained struct {
		Warnings, Lines []struct{ Verdict, Pointer, Text string }
	}
	var planned, enforced struct{ Warnings []string }
	var listed struct{ Servers []struct{ Warnings []string } }
	report := filepath.Join(k.home, "report")
	program, err := exec.LookPath("mcp-sandbox") // this test binary, by the name that wrap writes
	fine(k.t, err)
	must := func(to any, args ...string) string {
		k.t.Helper()
		var stderr strings.Builder
		cmd := k.command(args...)
		cmd.Path, cmd.Stderr = program, &stderr
		out, err := cmd.Output()
		if err == nil && to != nil {
			err = json.Unmarshal(out, to)
		}
		if err != nil {
			k.t.Fatalf("%v: %v\n%s%s", args, err, out, stderr.String())
		}
		return string(out)
	}
	must(&checked, "policy", "check", "--json", file)
	must(&explained, "policy", "explain", "--json", file)
	must(&planned, "plan", "--json", "--policy", file, "--", "true")
	says := map[string][]string{"plan": planned.Warnings}
	must(nil, "run", "--quiet", "--report", report, "--policy", file, "--", "true")
	text, err := os.ReadFile(report)
	first, _, _ := strings.Cut(string(text), "\n")
	fine(k.t, errors.Join(err, json.Unmarshal([]byte(first), &enforced)))
	says["run"] = enforced.Warnings
	for line := range strings.Lines(must(nil, "wrap", "--dry-run", "--level", "standard", "cursor")) {
		if line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "    /"); ok {
			says["wrap"] = append(says["wrap"], "/"+line)
		}
	}
	must(nil, "wrap", "--yes", "--level", "standard", "cursor")
	must(&listed, "status", "--json", "cursor")
	says["status"] = listed.Servers[0].Warnings
	must(nil, "unwrap", "--yes", "cursor")
	for _, l := range checked.Warnings {
		says["check"] = append(says["check"], l.Pointer+": "+l.Verdict+": "+l.Text)
	}
	for _, l := range explained.Lines {
		if l.Verdict == explain.Wide.String() || l.Verdict == explain.Dangerous.String() {
			says["explain"] = append(says["explain"], l.Pointer+": "+l.Verdict+": "+l.Text)
		}
	}
	return says
}
