package fsview

import "testing"

func TestShebang(t *testing.T) {
	for _, c := range []struct {
		head, interpreter, arg string
		ok                     bool
	}{
		{"#!/bin/sh\necho", "/bin/sh", "", true},
		{"#! /bin/sh  -e  -x \n", "/bin/sh", "-e  -x", true},
		{"#! /bin/sh  -e  -x \r\n", "/bin/sh", "-e  -x \r", true},
		{"#!/bin/sh\r\n", "/bin/sh\r", "", true},
		{"#!\t/usr/bin/env\tnode", "/usr/bin/env", "node", true},
		{"#!\n", "", "", true},
		{"#!/bin/sh\x00x\n", "/bin/sh", "", true},
		{"#", "", "", false},
		{"", "", "", false},
		{"\x7fELF", "", "", false},
	} {
		if i, a, ok := shebang([]byte(c.head)); i != c.interpreter || a != c.arg || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.head, i, a, ok)
		}
	}
}

func TestEnvTarget(t *testing.T) {
	for arg, want := range map[string]string{
		"node": "node", "-S node --flag": "node", "-Snode --flag": "node", "-S A=1 B=2 uv run": "uv", "-SA=1 uv": "uv",
		"-i python": "python", "-u HOME python": "python", "--split-string=deno run": "deno", "": "", "-S": "", "A=1": "",
	} {
		if got := envTarget(arg); got != want {
			t.Errorf("%q: %q, want %q", arg, got, want)
		}
	}
}

func TestStores(t *testing.T) {
	for path, want := range map[string]string{
		"/home/u/.nvm/versions/node/v20/bin/node":           "/home/u/.nvm/versions/node/v20",
		"/home/u/.nvm/versions/node/v20":                    "/home/u/.nvm/versions/node/v20",
		"/home/u/.nvm/versions/node":                        "",
		"/opt/hostedtoolcache/node/20.1.0/x64/bin/node":     "/opt/hostedtoolcache/node/20.1.0/x64",
		"/opt/hostedtoolcache/node/20.1.0":                  "",
		"/home/u/.local/share/mise/installs/node/20":        "/home/u/.local/share/mise/installs/node/20",
		"/home/u/.local/share/mise/installs/node":           "",
		"/home/u/.local/share/uv/python/cp3.12/bin/python3": "/home/u/.local/share/uv/python/cp3.12",
		"/home/u/.local/share/fnm/node-versions/v1/x":       "/home/u/.local/share/fnm/node-versions/v1",
		"/home/u/.pyenv/versions/3.12/bin/python":           "/home/u/.pyenv/versions/3.12",
		"/home/u/.volta/tools/image/node/18/bin/node":       "/home/u/.volta/tools/image/node/18",
		"/home/u/x.nvm/versions/node/v20/bin":               "",
		"/home/u/.ssh/id":                                   "",
	} {
		if got, ok := storeItem(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestPythonLib(t *testing.T) {
	for name, want := range map[string]bool{"python3.12": true, "python3.13t": true, "python2.7": true, "python3": false, "python": false, "python3.": false, "pythonx.y": false, "libpython3.12": false} {
		if pythonLib(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestVenvHome(t *testing.T) {
	for config, want := range map[string]string{
		"home = /usr/bin\nversion = 3": "/usr/bin", "version=3\nhome=/a b \n": "/a b", "homes = /x\n": "", "": "", "home": "",
	} {
		if got := venvHome(config); got != want {
			t.Errorf("%q: %q", config, got)
		}
	}
}

func TestGitFile(t *testing.T) {
	for text, want := range map[string]string{
		"gitdir: /a/b\n": "/a/b", "gitdir: ../x\r\n": "../x", "gitdir: ": "", "gitdir: \n": "", "gitdir: /a\n/b\n": "", "gitdir: /a\x00b": "", "x": "", "": "",
	} {
		if got, ok := parseGitFile([]byte(text)); ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q %v", text, got, ok)
		}
	}
}

func TestPasswd(t *testing.T) {
	for _, c := range []struct{ user, want string }{
		{"ada", "ada"}, {"root", "user"}, {"nobody", "user"}, {"a:b", "user"}, {"a\nb", "user"}, {"", "user"}, {"1a", "user"}, {"a.b-c_1", "a.b-c_1"},
	} {
		if got := userName([]string{"USER=" + c.user}); got != c.want {
			t.Errorf("%q: %q", c.user, got)
		}
	}
	if got := passwd("a", "1", "2", "/h:0:0"); got != "a:x:1:2::/:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n" {
		t.Errorf("%q", got)
	}
}

func TestOrder(t *testing.T) {
	in := []string{"/", "/a", "/a/b", "/a/b/c", "/a-b", "/a.b", "/b"}
	for i := range in {
		for j := range in {
			if got := order(in[i], in[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%s %s: %d", in[i], in[j], got)
			}
		}
	}
}

// u::rw- u:65533:r-x g::--- m::r-x o::---, as the kernel stores it.
func TestACL(t *testing.T) {
	raw := []byte{2, 0, 0, 0,
		1, 0, 6, 0, 255, 255, 255, 255,
		2, 0, 7, 0, 0xfd, 0xff, 0, 0,
		4, 0, 0, 0, 255, 255, 255, 255,
		8, 0, 4, 0, 9, 0, 0, 0,
		16, 0, 5, 0, 255, 255, 255, 255,
		32, 0, 1, 0, 255, 255, 255, 255}
	list := parseACL(raw)
	e := &entry{uid: 1, gid: 2}
	for _, c := range []struct {
		uid, gid, need uint32
		want           bool
	}{
		{1, 2, 6, true}, {1, 2, 1, false}, {65533, 2, 5, true}, {65533, 2, 2, false}, // the mask takes write away
		{7, 2, 4, false}, {7, 9, 4, true}, {7, 9, 1, false}, {7, 7, 1, true}, {7, 7, 4, false},
	} {
		if got := list.allows(e, c.uid, c.gid, c.need); got != c.want {
			t.Errorf("%d:%d needs %d: %v", c.uid, c.gid, c.need, got)
		}
	}
	for _, b := range [][]byte{nil, {1, 0, 0, 0}, raw[:7], raw[1:]} {
		if parseACL(b) != nil {
			t.Errorf("%v parses", b)
		}
	}
}
