package scripttest

import (
	"slices"
	"strings"
	"testing"
)

// A flag with a value that can be typed is a proposal, and nothing else of a line is.
func TestProposals(t *testing.T) {
	for _, c := range []struct{ line, args, want string }{
		{"argument /a is not visible inside: --allow-read /a, or --allow-write", "run cat /a", "--allow-read /a"},
		{"argument /a b is not visible inside: --allow-read '/a b', or --allow-write", "run cat", "--allow-read '/a b'"},
		{"the server ended with 1 after 0.0 s. Not given to it: writes to .git (--allow-write /p/.git); variables X (--env)", "run git", "--allow-write /p/.git"},
		{"--cwd /a: is not visible inside (grant it: --allow-read /a, or allowRead in the policy)", "run --cwd /a true", "--allow-read /a"},
		{"--pids 4 is less than node needs to start; write at least --pids 12", "run --pids 4 node", "--pids 12"},
		{"--env $KEY: no such variable is set here (write --env KEY: the name stands without $)", "run --env $KEY true", "--env KEY for --env $KEY"},
		{"network: a.test is not allowed (name looked up); --allow-domain a.test", "run x", "--allow-domain a.test"},
		{"network: a.test is not allowed (name looked up); --allow-domain a.test", "run --allow-domain a.test x", ""},
		{"the host of argument 1 is not allowed: it has no port (--allow-domain HOST:PORT)", "run x", ""},
		{"permission denied for 65533:65533, the ids of the server (--user names others)", "run x", ""},
		{"working folder /a is not visible inside: the server starts in /b (--allow-read …/a)", "run x", ""},
		{`unknown flag "-r": write --allow-read PATH; see "mcp-sandbox run --help"`, "run -r /a", ""},
		{"--memory 1G does not count: --memory 2G comes after it", "run --memory 1G x", ""},
	} {
		var got []string
		for _, p := range proposals("mcp-sandbox: "+c.line+"\nthe server's: --allow-read /x\n", strings.Fields(c.args)) {
			if p.instead != "" {
				p.flag += " for " + p.instead
			}
			got = append(got, p.flag)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}

// What is typed stands behind the flags that are there, and in front of the command.
func TestWithTyped(t *testing.T) {
	all := []proposal{{flag: "--allow-read '/a b'"}, {flag: "--env KEY", instead: "--env $KEY"}}
	for args, want := range map[string]string{
		"exits mcp-sandbox run cat /a":                    "run|--allow-read|/a b|--env|KEY|cat|/a",
		"exits mcp-sandbox run --env $KEY -- cat":         "run|--allow-read|/a b|--env|KEY|--|cat",
		"exits mcp-sandbox run --quiet --cwd=/ --cpu 1 x": "run|--quiet|--cwd=/|--cpu|1|--allow-read|/a b|--env|KEY|x",
	} {
		fields := strings.Fields(args)
		if got := withTyped(slices.Clone(fields), all); strings.Join(got, "|") != want {
			t.Errorf("%s: %q", args, got)
		}
	}
}
