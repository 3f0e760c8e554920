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

func TestVenvHome(t *testing.T) {
	for config, want := range map[string]string{
		"home = /usr/bin\nversion = 3": "/usr/bin", "version=3\nhome=/a b \n": "/a b", "homes = /x\n": "", "": "", "home": "",
	} {
		if got := VenvHome(config); got != want {
			t.Errorf("%q: %q", config, got)
		}
	}
}
