package toolchain

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
		if i, a, ok := Shebang([]byte(c.head)); i != c.interpreter || a != c.arg || ok != c.ok {
			t.Errorf("%q: %q %q %v", c.head, i, a, ok)
		}
	}
}

func TestEnvTarget(t *testing.T) {
	for arg, want := range map[string]string{
		"node": "node", "-S node --flag": "node", "-Snode --flag": "node", "-S A=1 B=2 uv run": "uv", "-SA=1 uv": "uv",
		"-i python": "python", "-u HOME python": "python", "--split-string=deno run": "deno", "": "", "-S": "", "A=1": "",
	} {
		if got := EnvTarget(arg); got != want {
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
		if got, ok := Stored(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if root, ok := Shim("/home/u/.pyenv/shims/python"); root != "/home/u/.pyenv" || !ok {
		t.Errorf("%q, %v", root, ok)
	}
}

func TestPythonLib(t *testing.T) {
	for name, want := range map[string]bool{"python3.12": true, "python3.13t": true, "python2.7": true, "python3": false, "python": false, "python3.": false, "pythonx.y": false, "libpython3.12": false} {
		if IsPythonLib(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
	}
}

func TestVenvHome(t *testing.T) {
	for config, want := range map[string]string{
		"home = /usr/bin\nversion = 3": "/usr/bin", "version=3\nhome=/a b \n": "/a b", "homes = /x\n": "", "": "", "home": "",
	} {
		if got := VenvHome(config); got != want {
			t.Errorf("%q: %q", config, got)
		}
	}
}
