package fsview

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// What the user's shells, logins and hosts of MCP servers start is held in every write grant that it lies in, whatever
// HOME the policy gives the server.
func TestProtectedHome(t *testing.T) {
	const tree = "home/.bashrc\n home/.codex/config.toml\n home/.config/fish/config.fish\n home/.claude.json -> dot/claude.json\n home/dot/claude.json\n home/.ssh/id\n home/notes/.bashrc\n home/.local/state/mcp-sandbox/state/x\n home/.local/share/f\n elsewhere/"
	const all = "frozen T/home/.bashrc\n frozen T/home/.claude.json\n frozen T/home/.codex\n frozen T/home/.config/fish\n frozen T/home/.local/state/mcp-sandbox\n frozen T/home/.ssh\n frozen T/home/dot/claude.json"
	for _, c := range []struct {
		name string
		wish wish
		env  string // HOME of the policy
		want string
		err  error
	}{
		{name: "all of it", wish: wish{write: []string{"T/home"}}, want: all},
		{name: "HOME of the policy", wish: wish{write: []string{"T/home"}}, env: "/nonexistent", want: all},
		{name: "above it", wish: wish{write: []string{"T"}}, want: all},
		{name: "a part", wish: wish{write: []string{"T/home/.config"}}, want: "frozen T/home/.config/fish"},
		{name: "another part", wish: wish{write: []string{"T/home/notes"}}},
		{name: "one of them", wish: wish{write: []string{"T/home/.bashrc"}}, err: ErrProtected},
		{name: "through a link", wish: wish{write: []string{"T/home/.claude.json"}}, err: ErrProtected},
		{name: "in one of them", wish: wish{write: []string{"T/home/.config/fish/config.fish"}}, err: ErrProtected},
		{name: "this product's own", wish: wish{write: []string{"T/home/.local/state/mcp-sandbox/state"}}, err: ErrProtected},
		{name: "for reading", wish: wish{read: []string{"T/home"}}, want: "denied T/home/.local/state/mcp-sandbox"},
		{name: "for reading by name", wish: wish{read: []string{"T/home", "T/home/.local/state/mcp-sandbox"}}},
		{name: "for reading, below", wish: wish{read: []string{"T/home/.local/state/mcp-sandbox/state"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := plant(t, tree)
			r := c.wish.request(root)
			r.Homes = []string{root + "/home", "", "relative", "/"}
			if c.env != "" {
				r.Env = append(r.Env, "HOME="+c.env)
			}
			v, err := Plan(r)
			if !checkError(t, err, c.err, root, "") {
				return
			}
			got := slices.DeleteFunc(show(v, root), func(l string) bool { return !strings.HasPrefix(l, "frozen") && !strings.HasPrefix(l, "denied") })
			same(t, "covers", got, lines(c.want))
			if missing := slices.Contains(v.Unprotected, root+"/home/.zshrc"); missing != (c.want == all) {
				t.Errorf("unprotected: %q", relative(root, v.Unprotected))
			}
		})
	}
}

// A folder that cannot be looked into may hold one of the files.
func TestProtectedHomeUnsearched(t *testing.T) {
	for _, c := range []struct{ grant, closed, want string }{
		{"T/home", "home/.config", "frozen T/home/.config"},
		{"T/home", "home/.config/Code", "frozen T/home/.config/Code\n frozen T/home/.config/fish"},
		{"T/home/.config", "home/.config", ""},
	} {
		t.Run(c.grant+" "+c.closed, func(t *testing.T) {
			root := plant(t, "home/.config/fish/x\n home/.config/Code/User/mcp.json")
			owned(t, root)
			must(t, os.Chmod(root+"/"+c.closed, 0))
			v, err := Plan(wish{write: []string{c.grant}}.request(root))
			if c.want == "" {
				if !errors.Is(err, ErrSearch) {
					t.Errorf("%v", err)
				}
			} else if must(t, err); true {
				same(t, "covers", covers(v, root), lines(c.want))
			}
			must(t, os.Chmod(root+"/"+c.closed, 0o755))
		})
	}
}

// A package of this product's own store is shown, and nothing beside it.
func TestOwnPackage(t *testing.T) {
	root := plant(t, "home/.local/share/mcp-sandbox/store/npm/x/1-a/bin/srv!\n home/.local/share/mcp-sandbox/store/npm/y/f\n home/f")
	r := wish{read: []string{"T/home"}}.request(root)
	r.Command = []string{root + "/home/.local/share/mcp-sandbox/store/npm/x/1-a/bin/srv"}
	v, err := Plan(r)
	must(t, err)
	ms := build(t, v)
	for path, want := range map[string]string{r.Command[0]: "read", root + "/home/f": "read", root + "/home/.local/share/mcp-sandbox/store/npm/y/f": "private"} {
		if got := effective(ms, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

// What a package says of its interpreter, or of the Python of an environment, shows nothing else of the home. A version
// store is shown, and what is granted.
func TestFirstLinesOfPackages(t *testing.T) {
	const own = "home/.local/share/mcp-sandbox/store/npm/x/1-a"
	root := plant(t, strings.ReplaceAll(`P/direct! = #!T/home/secret/bin/run\n
		P/env! = #!/usr/bin/env T/home/secret/bin/run\n
		P/name! = #!/usr/bin/env run\n
		P/m/bin/venv!
		P/m/pyvenv.cfg = home = T/home/secret/bin\n
		P/nvm! = #!T/home/.nvm/versions/node/v20/bin/node\n
		P/bin/own!
		P/pyvenv.cfg = home = T/home/secret/bin\n
		home/secret/bin/run!
		home/secret/bin/python!
		home/secret/lib/python3.12/os.py
		home/.nvm/versions/node/v20/bin/node!`, "P/", own+"/"))
	for _, c := range []struct {
		name, seen string
		err        error
		read       []string
	}{
		{name: "direct", err: ErrFirstLine}, {name: "env", err: ErrFirstLine}, {name: "name", err: ErrFirstLine},
		{name: "direct", read: []string{"T/home/secret"}},
		{name: "m/bin/venv"},
		{name: "nvm", seen: "/home/.nvm/versions/node/v20"},
		{name: "bin/own", seen: "/home/secret"}, // written by the install
	} {
		r := wish{read: c.read}.request(root)
		r.Command = []string{root + "/" + own + "/" + c.name}
		r.Env = append(r.Env, "PATH="+root+"/home/secret/bin:/usr/bin")
		r.Package.Path, r.Package.Given = root+"/"+own, root+"/"+own
		v, err := Plan(r)
		if !errors.Is(err, c.err) || c.err == nil && err != nil {
			t.Errorf("%s: %v, want %v", c.name, err, c.err)
		}
		if err != nil {
			continue
		}
		for _, path := range v.Implied {
			if path != root+"/"+own && path != root+c.seen {
				t.Errorf("%s: shows %s", c.name, path)
			}
		}
		if c.seen != "" && !slices.Contains(v.Implied, root+c.seen) {
			t.Errorf("%s: shows %q without %s", c.name, v.Implied, c.seen)
		}
	}
}
