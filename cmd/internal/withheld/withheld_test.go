package withheld

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What a client added is what its own environment has not. Under a shell, and where nothing can be read, nothing is known.
func TestAdded(t *testing.T) {
	dropped := []string{"EXTRA", "NOTION_TOKEN", "OWN", "PWD", "bad name", "XDG_RUNTIME_DIR"}
	own := []string{"PATH=/bin", "OWN=1"}
	with := append(slices.Clone(own), "NOTION_TOKEN=x", "EXTRA=y")
	editor := process{"/opt/claude/claude", []string{"claude"}, own, 1}
	bash := process{"/usr/bin/bash", []string{"bash"}, own, 1}
	for _, c := range []struct {
		name string
		tree []process // from the parent upwards; the pid is the index
		want string
	}{
		{"a client", []process{editor}, "NOTION_TOKEN EXTRA"},
		{"updated meanwhile", []process{{"/opt/claude (deleted)", nil, own, 1}}, "NOTION_TOKEN EXTRA"},
		{"node", []process{{"/usr/bin/node", []string{"node", "/opt/client.js"}, own, 1}}, "NOTION_TOKEN EXTRA"},
		{"a shell", []process{bash}, ""},
		{"a shell with its version", []process{{"/usr/bin/zsh-5.9", []string{"zsh"}, with, 1}, editor}, ""},
		{"a login shell of busybox", []process{{"/bin/busybox", []string{"-sh"}, own, 1}}, ""},
		{"sh -c of a client", []process{{"/usr/bin/dash", []string{"sh", "-c", "mcp-sandbox"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"sh -c of a shell", []process{{"/usr/bin/dash", []string{"sh", "-c", "mcp-sandbox"}, with, 1}, bash}, ""},
		{"a script", []process{{"/usr/bin/dash", []string{"sh", "/home/ann/run.sh"}, with, 1}, editor}, ""},
		{"timeout of a client", []process{{"/usr/bin/timeout", []string{"timeout", "9"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"timeout of coreutils, of a shell", []process{{"/usr/bin/coreutils", []string{"timeout", "9"}, with, 1}, bash}, ""},
		{"sudo of a client", []process{{"/usr/bin/sudo", []string{"sudo"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"npm of a client", []process{{"/usr/bin/dash", []string{"sh", "-c", "x"}, with, 1},
			{"/usr/bin/node", []string{"npm exec x"}, with, 2}, editor}, "NOTION_TOKEN EXTRA"},
		{"npx by its file", []process{{"/usr/bin/node", []string{"node", "/usr/bin/npx", "x"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"yarn by its file", []process{{"/usr/bin/node", []string{"node", "/opt/yarn/bin/yarn.js"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"pipx of a client", []process{{"/usr/bin/pipx", []string{"pipx", "run", "x"}, with, 1}, editor}, "NOTION_TOKEN EXTRA"},
		{"a terminal", []process{{"/usr/bin/xterm", []string{"xterm", "-e", "mcp-sandbox"}, own, 1}}, ""},
		{"ssh", []process{{"/usr/sbin/sshd", []string{"sshd: ann"}, own, 1}}, ""},
		{"systemd", []process{{"/usr/lib/systemd/systemd", nil, own, 1}}, ""},
		{"cannot be read", nil, ""},
		{"environment overwritten", []process{{"/opt/claude", nil, []string{"title", ""}, 1}}, ""},
		{"wrappers without end", slices.Repeat([]process{{"/usr/bin/env", nil, with, 0}}, 1), ""},
	} {
		got := added(dropped, 0, func(pid int) (process, bool) {
			if pid >= len(c.tree) {
				return process{}, false
			}
			return c.tree[pid], true
		})
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Where no name is left to ask for, no process is looked at.
func TestNothingToAsk(t *testing.T) {
	names := []string{"XDG_SEAT", "LC_ALL", "bad name", ""}
	added(names, 1, func(int) (process, bool) {
		t.Error("a process was read")
		return process{}, false
	})
}

// Only what cannot work and would hang is refused.
func TestFetches(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"p/node_modules/@s/local", "p/sub", "empty", "bin"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name := range strings.FieldsSeq("npx npm pnpm yarn bunx uvx uv pipx node deno env sh bash timeout nohup cmd") {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// Windows takes a right for it, and Wine makes a link that leads nowhere.
	_ = os.Symlink(filepath.Join(dir, "p", "sub"), filepath.Join(dir, "link"))
	linked := platform.Resolved(filepath.Join(dir, "link")) == platform.Resolved(filepath.Join(dir, "p", "sub"))
	if runtime.GOOS != "windows" && !linked {
		t.Fatal("no link")
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "beside"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	const none, line, refused = "", "line", "refused"
	for _, c := range []struct{ command, folder, change, want string }{
		{"npx -y pkg", "empty", "", refused},
		{"npx -y pkg@1.2.3 --root /x", "empty", "", refused},
		{"node /usr/lib/node_modules/npm/bin/npx-cli.js -y pkg", "empty", "", refused},
		{"npx -y @s/local", "p", "granted", none},
		{"npx @s/local@2", "p/sub", "granted", none},
		{"npx @s/local@2", "link", "granted", none},
		{"npx @s/local", "p", "", line}, // installed, and not to be seen
		{"npx beside", "empty", "", none},
		{"npx pkg", "empty", "state", line},
		{"npx --prefer-offline pkg", "empty", "state", none},
		{"npx pkg", "empty", "offline", none},
		{"env npx -y pkg", "empty", "", refused},
		{"env -S npx -y pkg", "empty", "", refused},
		{"env npm_config_offline=true npx pkg", "empty", "", none},
		{"env -C /x npx pkg", "empty", "", none},
		{"env", "empty", "", none},
		{"sh -c", "empty", "", none},
		{"timeout --kill-after=9 60 npx pkg", "empty", "", refused},
		{"timeout 60", "empty", "", none},
		{"timeout -k 9 60 npx pkg", "empty", "", none},
		{"nohup env npx pkg", "empty", "", refused},
		{"nohup nohup nohup nohup nohup npx pkg", "empty", "", none},
		{"cmd /c npx pkg", "empty", "", none},
		{"deno run -A npm:pkg", "empty", "", line},
		{"deno run --cached-only npm:pkg", "empty", "", none},
		{"deno run server.ts", "empty", "", none},
		{"deno run ./server.ts", "empty", "", none},
		{"npx -p @s/other local", "p", "", refused},
		{"npx --offline pkg", "empty", "", none},
		{"npx --prefer-offline pkg", "empty", "", line},
		{"npx --prefer-offline pkg", "empty", "cache", none},
		{"npx pkg", "empty", "cache", line},
		{"npx pkg", "empty", "config", line},
		{"npx pkg", "empty", "limits", line},
		{"npx pkg", "empty", "network", none},
		{"npx --version", "empty", "", none},
		{"npx", "empty", "", none},
		{"npx pkg", "empty", "strict", none},
		{"/no/such/npx pkg", "empty", "", none},
		{"npx ./here", "empty", "", none},
		{"npm exec -- pkg", "empty", "", refused},
		{"npm --package=pkg exec bin", "empty", "", refused},
		{"npm --unknown v exec pkg", "empty", "", refused},
		{"npm --silent run install", "empty", "", none},
		{"npx -y https://example.org/x.tgz", "empty", "", refused},
		{"npx -y pkg@https://example.org/x.tgz", "empty", "", refused},
		{"npx -y owner/repo", "empty", "", refused},
		{"npx -y x@npm:y", "empty", "", refused},
		{"npx -y file:../x", "empty", "", line},
		{"npx -y https://[/x.tgz", "empty", "", line},
		{"pnpm --package=https://example.org/x.tgz dlx bin", "empty", "", refused},
		{"pnpm --package pkg --dir d dlx bin", "empty", "", refused},
		{"npm start", "p", "", none},
		{"npm run build", "p", "", none},
		{"npm ci", "p", "", refused},
		{"pnpm dlx pkg", "empty", "", refused},
		{"yarn dlx pkg", "empty", "", line},
		{"yarn", "empty", "", line},
		{"yarn start", "empty", "", none},
		{"bunx pkg", "empty", "", line},
		{"uvx pkg", "empty", "", line},
		{"uvx --from pkg cmd", "empty", "", line},
		{"uv run server.py", "empty", "", line},
		{"uv --version", "empty", "", none},
		{"pipx run pkg", "empty", "", line},
		{"pipx list", "empty", "", none},
		{"node server.js", "empty", "", none},
		{"node", "empty", "", none},
	} {
		if c.folder == "link" && !linked {
			continue
		}
		p := policy.Policy{Level: policy.Standard, MinConfinement: policy.Reduced}
		o := &order.Order{Command: strings.Fields(c.command), Dir: filepath.Join(dir, c.folder), Env: []string{"HOME=" + dir, "PATH=" + dir + "/bin"}}
		switch c.change {
		case "strict":
			p.Subprocess.Allow = policy.No
		case "cache":
			p.Filesystem.AllowWrite = []string{dir + "/.npm"}
		case "config":
			o.Env = append(o.Env, "npm_config_cache=/c")
		case "granted":
			p.Filesystem.AllowRead = []string{dir + "/p/"}
		case "state":
			p.State = "acme"
		case "offline":
			o.Env = append(o.Env, "NPM_CONFIG_OFFLINE=true")
		case "limits":
			p.MinConfinement = policy.ConfinementLimits
		case "network":
			p.Level = policy.LevelNetwork
		}
		all, hangs := fetches(o, &p)
		got := none
		if len(all) > 0 {
			got = line
		}
		if hangs != "" {
			got = refused
		}
		if got != c.want {
			t.Errorf("%s %s: %s, want %s", c.command, c.change, got, c.want)
		}
	}
}

// One line names all of an entry's variables. Of more than an entry has, which a client took from a shell, only those
// that look like a setting are in the line; the report has all.
func TestForgotten(t *testing.T) {
	many := strings.Fields("A B C D E F G H I J K L")
	for _, c := range []struct {
		names []string
		line  string
	}{
		{nil, ""},
		{many[:1], "A, which"},
		{many, "A, B, C"},
		{append([]string{"X_TOKEN"}, many...), "X_TOKEN, which"},
		{append([]string{"X_TOKEN", "Y_URL"}, many...), "X_TOKEN, Y_URL (--env X_TOKEN --env Y_URL)"},
		{append(slices.Clone(many), "M"), ""},
		{slices.Repeat(many, 9), ""}, // more than a report names
	} {
		all := forgotten(c.names)
		line := ""
		if len(all) > 0 {
			line = strings.TrimPrefix(all[0].Line, "not forwarded to the server: ")
		}
		if len(all) != min(len(c.names), 64) || !strings.HasPrefix(line, c.line) || (line == "") != (c.line == "") {
			t.Errorf("%q: %d notices, %q", c.names, len(all), line)
		}
	}
}
