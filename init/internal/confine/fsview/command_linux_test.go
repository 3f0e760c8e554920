package fsview

import (
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	const tree = `
		home/.nvm/versions/node/v20/bin/node!
		home/.nvm/versions/node/v20/lib/node_modules/npm/cli.js! = #!/usr/bin/env node\n
		home/.nvm/versions/node/v20/bin/npx -> ../lib/node_modules/npm/cli.js
		home/.nvm/current -> versions/node/v20
		home/.local/bin/tool!
		home/.local/lib/node_modules/x
		home/bin/tool!
		home/lib/python3.12/os.py
		home/.local/bin/uvtool -> T/home/.local/share/uv/tools/x/bin/uvtool
		home/.local/share/uv/tools/x/bin/uvtool! = #!T/home/.local/share/uv/tools/x/bin/python\n
		home/.local/share/uv/tools/x/bin/python -> T/home/.local/share/uv/python/cp-3.12/bin/python3
		home/.local/share/uv/tools/x/pyvenv.cfg = home = T/home/.local/share/uv/python/cp-3.12/bin\n
		home/.local/share/uv/python/cp-3.12 -> cp-3.12.1
		home/.local/share/uv/python/cp-3.12.1/bin/python3!
		home/.local/share/uv/python/cp-3.12.1/lib/python3.12/os.py
		home/.pyenv/shims/py! = #!/bin/sh\n
		home/.volta/tools/image/node/18/bin/node!
		opt/lib/node_modules/x
		opt/bin/srv!
		conda/bin/python!
		conda/lib/python3.11/os.py
		venv/bin/python -> T/conda/bin/python
		venv/pyvenv.cfg = home = T/conda/bin\n
		copied/bin/python!
		copied/pyvenv.cfg = home = T/conda/bin\n
		plain/bin/srv!
		plain/lib/other
		p/venv/bin/python -> T/conda/bin/python
		p/uvenv/bin/python -> T/home/.local/share/uv/python/cp-3.12/bin/python3
		p/uvenv/pyvenv.cfg = home = T/home/.local/share/uv/python/cp-3.12/bin\n
		p/forged/bin/python!
		p/forged/pyvenv.cfg = home = T/conda/bin\n
		p/srv!
		near -> T/p/inner
		p/inner -> T/conda/bin/python
		p/far -> T/side
		side -> conda/bin/python
		enter -> p/prefix
		p/prefix -> T/conda
		first! = #!T/p/second\n
		p/second! = #!T/conda/bin/python\n
		p/third! = #!T/fourth\n
		fourth! = #!T/conda/bin/python\n
		p/byenv! = #!T/p/fifth\n
		through! = #!T/p/inner\n
		throughenv! = #!/usr/bin/env T/p/inner\n
		throughname! = #!/usr/bin/env inner\n
		p/fifth! = #!/usr/bin/env T/conda/bin/python\n
		made/bin/srv!
		made/lib/node_modules/x
		made/key
		odd/bin/srv!
		odd/lib/python3.12/os.py
		cfg/bin/python!
		cfg/pyvenv.cfg = home = T/conda/bin\n
		leads/bin/python!
		leads/pyvenv.cfg -> T/p/pyvenv.cfg
		p/pyvenv.cfg = home = T/conda/bin\n
		inp/bin/python!
		inp/pyvenv.cfg = home = T/p/base/bin\n
		p/base -> T/conda
		liblink/bin/srv!
		liblink/lib/node_modules -> T/p/mods
		p/mods/x
		p/evil! = #!T/conda/bin/python\n
		p/evil2! = #!/usr/bin/env T/conda/bin/python\n
		p/byname! = #!/usr/bin/env python\n
		p/byother! = #!/usr/bin/env srv\n
		data
		sub/data!
		dir/
		chain/1! = #!T/chain/2\n
		chain/2! = #!T/chain/3 arg\n
		chain/3! = #! T/chain/4\n
		chain/4! = #!/bin/sh\n
		chain/0! = #!T/chain/00\n
		chain/00! = #!T/chain/1\n
		gone! = #!T/no/such\n
		relative! = #!bin/sh\n
		noenv! = #!/usr/bin/env nonesuch\n
		split! = #!/usr/bin/env -S FOO=1 srv --x\n
		crlf! = #!/bin/sh\r\n
		crlfarg! = #!/bin/sh -e\r\n
		crlfenv! = #!/usr/bin/env srv\r\n
		crlfsplit! = #!/usr/bin/env -S srv --x\r\n
		crlffirst! = #!T/crlf\n
		empty!`
	root := plant(t, tree) // which Plan only reads
	for _, c := range []struct {
		name    string
		argv0   string
		dir     string
		path    string
		wish    wish
		command string // as execve gets it
		implied string
		err     error
		names   string
	}{
		{name: "of the system", argv0: "true", command: "/usr/bin/true"},
		{name: "absolute", argv0: "/bin/true", command: "/bin/true"},
		{name: "one file", argv0: "T/p/srv", command: "T/p/srv", implied: "T/p/srv"},
		{name: "granted", argv0: "T/p/srv", wish: wish{read: []string{"T/p"}}, command: "T/p/srv"},
		{name: "relative", argv0: "./srv", dir: "T/p", command: "T/p/srv", implied: "T/p/srv"},
		{name: "relative, up", argv0: "../p/srv", dir: "T/dir", command: "T/p/srv", implied: "T/p/srv"},
		{name: "in PATH", argv0: "srv", path: ":.:p:T/none:T/dir:T/p", dir: "T/sub", command: "T/p/srv", implied: "T/p/srv"},
		{name: "passes over what cannot be executed", argv0: "data", path: "T:T/sub", command: "T/sub/data", implied: "T/sub/data"},
		{name: "relative entries of PATH do not count", argv0: "srv", path: ":.:p", dir: "T/p", err: ErrNotFound},
		{name: "no PATH", argv0: "srv", path: "-", err: ErrNotFound, names: "exec srv: command not found"},
		{name: "missing", argv0: "T/p/none", err: ErrNotFound},
		{name: "empty", argv0: "", err: ErrNotFound},
		{name: "folder", argv0: "T/dir", err: ErrNotExecutable, names: "is a directory"},
		{name: "folder by its slash", argv0: "T/dir/", err: ErrNotExecutable},
		{name: "no program", argv0: "T/data", err: ErrNotExecutable, names: "T/data"},
		{name: "only found without execution", argv0: "data", path: "T", err: ErrNotExecutable},
		{name: "of another file system", argv0: "/proc/self/exe", err: ErrNotExecutable},
		{name: "denied", argv0: "T/p/srv", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p/srv"}}, err: ErrNotExecutable, names: "not visible"},
		{name: "in a denied folder", argv0: "T/p/srv", wish: wish{read: []string{"T/p"}, noRead: []string{"T/p"}}, command: "T/p/srv", implied: "T/p/srv"},

		{name: "node prefix", argv0: "node", path: "T/home/.nvm/versions/node/v20/bin", command: "T/home/.nvm/versions/node/v20/bin/node", implied: "T/home/.nvm/versions/node/v20"},
		{name: "script in a node prefix", argv0: "npx", path: "T/home/.nvm/versions/node/v20/bin", command: "T/home/.nvm/versions/node/v20/bin/npx", implied: "T/home/.nvm/versions/node/v20"},
		{name: "prefix through a link", argv0: "T/home/.nvm/current/bin/node", command: "T/home/.nvm/current/bin/node", implied: "T/home/.nvm/versions/node/v20"},
		{name: "store without the marks", argv0: "T/home/.volta/tools/image/node/18/bin/node", command: "T/home/.volta/tools/image/node/18/bin/node", implied: "T/home/.volta/tools/image/node/18"},
		{name: "shim", argv0: "T/home/.pyenv/shims/py", command: "T/home/.pyenv/shims/py", implied: "T/home/.pyenv"},
		{name: "never .local", argv0: "T/home/.local/bin/tool", command: "T/home/.local/bin/tool", implied: "T/home/.local/bin/tool"},
		{name: "never the home", argv0: "T/home/bin/tool", command: "T/home/bin/tool", implied: "T/home/bin/tool"},
		{name: "uv tool", argv0: "T/home/.local/bin/uvtool", command: "T/home/.local/bin/uvtool", implied: "T/home/.local/share/uv/python/cp-3.12.1\n T/home/.local/share/uv/tools/x"},
		{name: "any prefix", argv0: "T/opt/bin/srv", command: "T/opt/bin/srv", implied: "T/opt"},
		{name: "no prefix", argv0: "T/plain/bin/srv", command: "T/plain/bin/srv", implied: "T/plain/bin/srv"},
		{name: "venv", argv0: "T/venv/bin/python", command: "T/venv/bin/python", implied: "T/conda\n T/venv"},
		{name: "venv with copies", argv0: "T/copied/bin/python", command: "T/copied/bin/python", implied: "T/conda\n T/copied"},

		{name: "venv in a write grant", argv0: "T/p/venv/bin/python", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/venv/bin/python leads to T/conda/bin/python"},
		{name: "the same with its base granted", argv0: "T/p/venv/bin/python", wish: wish{write: []string{"T/p"}, read: []string{"T/conda"}}, command: "T/p/venv/bin/python"},
		{name: "only the file granted", argv0: "T/p/venv/bin/python", wish: wish{write: []string{"T/p"}, read: []string{"T/conda/bin/python"}}, command: "T/p/venv/bin/python"},
		{name: "uv venv in a write grant", argv0: "T/p/uvenv/bin/python", wish: wish{write: []string{"T/p"}}, command: "T/p/uvenv/bin/python", implied: "T/home/.local/share/uv/python/cp-3.12.1"},
		{name: "forged pyvenv.cfg", argv0: "T/p/forged/bin/python", wish: wish{write: []string{"T/p"}}, command: "T/p/forged/bin/python"},

		{name: "a script's interpreter in a write grant", argv0: "T/p/evil", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/evil leads to T/conda/bin/python"},
		{name: "by env", argv0: "T/p/evil2", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/evil2 leads to T/conda/bin/python"},
		{name: "the same granted", argv0: "T/p/evil", wish: wish{write: []string{"T/p"}, read: []string{"T/conda"}}, command: "T/p/evil"},
		{name: "the same in a read grant", argv0: "T/p/evil", wish: wish{read: []string{"T/p"}}, command: "T/p/evil", implied: "T/conda"},
		{name: "the host's PATH leads there", argv0: "T/p/byname", path: "T/conda/bin:/usr/bin", wish: wish{write: []string{"T/p"}}, command: "T/p/byname", implied: "T/conda"},
		{name: "the inner of two links is the server's", argv0: "T/near", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/inner leads to T/conda/bin/python"},
		{name: "the inner one, on the way", argv0: "T/enter/bin/python", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/prefix leads to T/conda/bin/python"},
		{name: "the outer of two links is the server's", argv0: "T/p/far", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/far leads to T/conda/bin/python"},
		{name: "neither of two links is the server's", argv0: "T/near", wish: wish{write: []string{"T/p/venv"}}, command: "T/near", implied: "T/conda"},
		{name: "the inner of two first lines is the server's", argv0: "T/first", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/second leads to T/conda/bin/python"},
		{name: "the outer of two first lines is the server's", argv0: "T/p/third", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/third leads to T/fourth"},
		{name: "the outer one is, and what it leads to is granted", argv0: "T/p/third", wish: wish{write: []string{"T/p"}, read: []string{"T/fourth"}},
			command: "T/p/third", implied: "T/conda"},
		{name: "the inner one by env", argv0: "T/p/byenv", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/fifth leads to T/conda/bin/python"},
		{name: "a first line through the server's link", argv0: "T/through", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/inner leads to T/conda/bin/python"},
		{name: "by env", argv0: "T/throughenv", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/inner leads to T/conda/bin/python"},
		{name: "by env and PATH", argv0: "T/throughname", path: "T/p:/usr/bin", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/inner leads to T/conda/bin/python"},
		{name: "through a link of the host's", argv0: "T/throughenv", wish: wish{write: []string{"T/p/venv"}}, command: "T/throughenv", implied: "T/conda\n T/throughenv"},
		{name: "neither of two first lines is the server's", argv0: "T/first", wish: wish{write: []string{"T/p/venv"}}, command: "T/first", implied: "T/conda\n T/first\n T/p/second"},

		{name: "an installation that the server may have made", argv0: "T/made/bin/srv", wish: wish{write: []string{"T/made/lib"}}, command: "T/made/bin/srv", implied: "T/made/bin/srv"},
		{name: "by its node_modules alone", argv0: "T/made/bin/srv", wish: wish{write: []string{"T/made/lib/node_modules"}}, command: "T/made/bin/srv", implied: "T/made/bin/srv"},
		{name: "by its library of Python", argv0: "T/odd/bin/srv", wish: wish{write: []string{"T/odd/lib"}}, command: "T/odd/bin/srv", implied: "T/odd/bin/srv"},
		{name: "by that library alone", argv0: "T/odd/bin/srv", wish: wish{write: []string{"T/odd/lib/python3.12"}}, command: "T/odd/bin/srv", implied: "T/odd/bin/srv"},
		{name: "by its pyvenv.cfg", argv0: "T/cfg/bin/python", wish: wish{write: []string{"T/cfg/pyvenv.cfg"}}, command: "T/cfg/bin/python", implied: "T/cfg/bin/python"},
		{name: "by what its pyvenv.cfg links to", argv0: "T/leads/bin/python", wish: wish{write: []string{"T/p"}}, command: "T/leads/bin/python", implied: "T/leads/bin/python"},
		{name: "by what its node_modules link to", argv0: "T/liblink/bin/srv", wish: wish{write: []string{"T/p"}}, command: "T/liblink/bin/srv", implied: "T/liblink/bin/srv"},
		{name: "a pyvenv.cfg that names what the server may lead elsewhere", argv0: "T/inp/bin/python", wish: wish{write: []string{"T/p"}}, command: "T/inp/bin/python", implied: "T/inp"},
		{name: "an installation with another folder for writing", argv0: "T/made/bin/srv", wish: wish{write: []string{"T/made/bin"}}, command: "T/made/bin/srv", implied: "T/made"},
		{name: "an installation inside a write grant", argv0: "T/made/bin/srv", wish: wish{write: []string{"T/made"}}, command: "T/made/bin/srv"},
		{name: "scripts of scripts", argv0: "T/chain/1", command: "T/chain/1", implied: "T/chain/1\n T/chain/2\n T/chain/3\n T/chain/4"},
		{name: "too many", argv0: "T/chain/0", err: ErrNotExecutable, names: "too many levels"},
		{name: "no such interpreter", argv0: "T/gone", err: ErrNotFound, names: "T/no/such"},
		{name: "relative interpreter", argv0: "T/relative", err: ErrNotExecutable, names: "bin/sh"},
		{name: "env finds nothing", argv0: "T/noenv", err: ErrNotFound, names: "nonesuch"},
		{name: "no interpreter in the host's PATH", argv0: "T/p/byother", path: "T/made/bin:/usr/bin", wish: wish{write: []string{"T/p"}}, err: ErrLink, names: "T/p/byother leads to T/made/bin/srv"},
		{name: "but one that is granted", argv0: "T/p/byother", path: "T/made/bin:/usr/bin", wish: wish{write: []string{"T/p"}, read: []string{"T/made"}}, command: "T/p/byother"},
		{name: "or named by a script of the host", argv0: "T/p/byother", path: "T/made/bin:/usr/bin", wish: wish{read: []string{"T/p"}}, command: "T/p/byother", implied: "T/made"},
		{name: "env splits", argv0: "T/split", path: "T/p", command: "T/split", implied: "T/p/srv\n T/split"},
		{name: "CR LF", argv0: "T/crlf", err: ErrNotExecutable, names: "CR LF"},
		{name: "CR LF of an interpreter", argv0: "T/crlffirst", err: ErrNotExecutable, names: "T/crlf: "},
		{name: "CR LF behind env", argv0: "T/crlfenv", path: "T/p", err: ErrNotExecutable, names: "CR LF"},
		{name: "CR LF behind an argument, which is the interpreter's to read", argv0: "T/crlfarg", command: "T/crlfarg", implied: "T/crlfarg"},
		{name: "CR LF that env splits off", argv0: "T/crlfsplit", path: "T/p", command: "T/crlfsplit", implied: "T/crlfsplit\n T/p/srv"},
		{name: "empty file", argv0: "T/empty", command: "T/empty", implied: "T/empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := c.wish.request(root)
			in := func(s string) string { return strings.NewReplacer("T/", root+"/", "T:", root+":").Replace(s) }
			r.Command, r.Dir = []string{in(c.argv0), "-x"}, in(c.dir)
			if c.path == "T" {
				c.path = root
			}
			switch c.path {
			case "":
			case "-":
				r.Env = r.Env[:1]
			default:
				r.Env = append(r.Env, "PATH="+in(c.path))
			}
			v, err := Plan(r)
			if !checkError(t, err, c.err, root, c.names) {
				return
			}
			if got := relative(root, []string{v.Command})[0]; got != c.command {
				t.Errorf("command %s, want %s", got, c.command)
			}
			if v.Argv[0] != in(c.argv0) || len(v.Argv) != 2 {
				t.Errorf("argv %q", v.Argv)
			}
			same(t, "implied", relative(root, v.Implied), lines(c.implied))
		})
	}
}

func TestLinksOfCommand(t *testing.T) {
	root := plant(t, "home/.nvm/current -> versions/node/v20\n home/.nvm/versions/node/v20/bin/node!")
	r := wish{}.request(root)
	r.Command = []string{root + "/home/.nvm/current/bin/node"}
	v, err := Plan(r)
	must(t, err)
	same(t, "view", show(v, root), lines(`dir T 755
		dir T/home 700
		dir T/home/.nvm 755
		link T/home/.nvm/current -> versions/node/v20
		dir T/home/.nvm/versions 755
		dir T/home/.nvm/versions/node 755
		read T/home/.nvm/versions/node/v20
		pin T
		pin T/home
		pin T/home/.nvm
		pin T/home/.nvm/versions
		pin T/home/.nvm/versions/node`))
}
