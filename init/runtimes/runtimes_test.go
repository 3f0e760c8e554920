package runtimes

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

const elf = "\x7fELF\x02\x01\x01\x00"

func TestOf(t *testing.T) {
	for _, test := range []struct {
		head, names, want string
	}{
		{elf, "node /usr/bin/node", "node"},
		{elf, "/opt/node-v20/bin/nodejs", "node"},
		{elf, "node20", "node"},
		{"#!/usr/bin/env node\n", "npx /usr/lib/node_modules/npm/bin/npx-cli.js", "npx"},
		{"#!/usr/bin/env node\n", "/usr/lib/node_modules/npm/bin/npx-cli.js", "npx"},
		{"#!/usr/bin/env node\n", "npm", "node"},
		{"#!/usr/bin/env node\n", "mcp-server-memory", "node"},
		{"#!/usr/bin/env -S node --flag\n", "server", "node"},
		{"#!/usr/bin/env -S A=1 deno run\n", "server", "deno"},
		{"#! /usr/bin/python3.13 -I\n", "server", "python"},
		{"#!/home/ann/venv/bin/python\n", "server", "python"},
		{elf, "python3", "python"},
		{elf, "python3.11", "python"},
		{elf, "uvx", "python"},
		{elf, "/usr/lib/jvm/java-17-openjdk-amd64/bin/java", "java"},
		{elf, "java-21", "java"},
		{elf, "bunx", "bun"},
		{elf, "java.exe", "java"},
		{"#!/usr/bin/env node\n", "/usr/lib/node_modules/yarn/bin/yarn.js", "node"},
		{elf, "dotnet", ""},
		{elf + "\x04\x00\x00\x00\x53\x00\x00\x00\x04\x00\x00\x00Go\x00\x00id", "/home/ann/bin/server", goProgram},
		{elf + "\x04\x00\x00\x00\x53\x00\x00\x00\x04\x00\x00\x00Go\x00\x00id", "deno", "deno"},
		{elf, "/home/ann/node/server", ""},
		{elf, "nodemon", ""},
		{"#!/bin/sh\n", "server", ""},
		{"#!\n", "server", ""},
		{"#!/usr/bin/env\n", "server", ""},
		{"\x04\x00\x00\x00Go\x00\x00", "server", ""},
		{"", "", ""},
		{"", "2", ""},
	} {
		got := ""
		if r := Of([]byte(test.head), strings.Fields(test.names)...); r != nil {
			got = r.Name
		}
		if got != test.want {
			t.Errorf("%q, called %s: %q, want %q", test.head, test.names, got, test.want)
		}
	}
}

// Node 24 takes for sure what some versions take.
func TestOfVersion(t *testing.T) {
	strict := policy.Limits{Memory: 512 << 20}
	for _, c := range []struct {
		program, header string
		certain         bool
	}{
		{"node", "#define NODE_MAJOR_VERSION 20\n", false},
		{"node", "#ifndef X\n#define NODE_MAJOR_VERSION 24\n#define NODE_MINOR_VERSION 1\n", true},
		{"node", "#define NODE_MAJOR_VERSION 26", true},
		{"node", "#define NODE_MAJOR_VERSION 99999999999999999999", true},
		{"node", "", false},
		{"deno", "", true},
		{"python", "#define NODE_MAJOR_VERSION 24\n", false},
		{"sh", "#define NODE_MAJOR_VERSION 24\n", false},
	} {
		short := Of(nil, c.program).OfVersion(Major([]byte(c.header))).Below(&strict, false)
		if certain := len(short) > 0 && short[0].Certain; certain != c.certain {
			t.Errorf("%s, %q: %+v", c.program, c.header, short)
		}
		for _, s := range short {
			line := s.DefaultLine("strict")
			if s.Certain && (!strings.Contains(line, "write at least --memory ") || len(line) > 187) {
				t.Error(line)
			}
		}
	}
	if s := Of(nil, "node").Below(&strict, false); len(s) != 1 || s[0].Certain {
		t.Errorf("the table has changed: %+v", s)
	}
}

// Each limit that is named and too small is a line, and no other one.
func TestBelow(t *testing.T) {
	const m = 1 << 20
	for _, test := range []struct {
		program string
		limits  policy.Limits
		grouped bool
		want    string
	}{
		{"node", policy.Limits{}, false, ""},
		{"node", policy.Limits{Memory: policy.Unlimited, Pids: policy.Unlimited, OpenFiles: policy.Unlimited}, false, ""},
		{"node", policy.Limits{Memory: 2048 * m, Pids: 64, OpenFiles: 1024, FileSize: 1, Timeout: 1, CPU: 1}, false, ""},
		{"node", policy.Limits{Memory: 32 * m}, false,
			"limits.memory 32M is less than node needs to start (49M): the server would hang, or end before it answers; write at least limits.memory 640M"},
		{"node", policy.Limits{Memory: 32 * m}, true, ""},
		{"node", policy.Limits{Pids: 4}, true,
			"limits.pids 4 is less than node needs to start (6): the server would hang, or end before it answers; write at least limits.pids 12"},
		{"node", policy.Limits{Pids: 6, Memory: 512 * m}, false,
			"limits.memory 512M can be too little: some versions of node need 576M to start; write at least limits.memory 640M\n" +
				"limits.pids 6 can be too little: some versions of node need 11 to start; write at least limits.pids 12"},
		{"python3", policy.Limits{Memory: 16 * m, OpenFiles: 3}, false,
			"limits.openFiles 3 is less than python needs to start (4): the server would end before it answers; write at least limits.openFiles 6"},
		{"java", policy.Limits{AddressSpace: 2048 * m}, false,
			"limits.addressSpace 2G can be too little: some versions of java need 4G to start; write at least limits.addressSpace 4G"},
		{"deno", policy.Limits{FileSize: m}, false,
			"limits.fileSize 1M is less than deno needs to start (2496K): the server would end before it answers; write at least limits.fileSize 2560K"},
		{"sh", policy.Limits{Memory: 16 * m, Pids: 1, OpenFiles: 1}, false, ""},
	} {
		var got []string
		for _, s := range Of(nil, test.program).Below(&test.limits, test.grouped) {
			got = append(got, s.Line(s.Key))
		}
		if lines := strings.Join(got, "\n"); lines != test.want {
			t.Errorf("%s, %+v:\ngot  %s\nwant %s", test.program, test.limits, lines, test.want)
		}
	}
}

// A line for a flag has the flag, and is not longer than lines may be.
func TestLine(t *testing.T) {
	for i := range table {
		r := &table[i]
		least := policy.Limits{Memory: policy.LeastMemory, Pids: 1, OpenFiles: 1, FileSize: 1, AddressSpace: 1}
		for _, s := range r.Below(&least, false) {
			line := "mcp-sandbox: " + s.Line("--address-space")
			if len(line) > 200 || !strings.Contains(line, "--address-space "+s.Limit) || !strings.HasSuffix(line, "--address-space "+s.Advice) {
				t.Error(line)
			}
		}
	}
}

// A program is of one row, what is enough is not below the least, and no least is one that the policy refuses by itself.
func TestTable(t *testing.T) {
	row, ending := map[string]string{}, map[string]string{}
	for i := range table {
		r := &table[i]
		for name := range strings.FieldsSeq(r.interprets + " " + r.starts) {
			if other, ok := row[name]; ok && other != r.Name {
				t.Errorf("%s is of %s and of %s", name, other, r.Name)
			}
			row[name] = r.Name
			if names(r.interprets, name) != Interprets(name) || names(r.starts, name) != Starts(name) || Hosts(name) != r.hosts {
				t.Errorf("%s is found in another row than that of %s", name, r.Name)
			}
		}
		for name := range strings.FieldsSeq(r.files) {
			if ending[name] != "" || Starter("x"+name) != r.by || !Interprets(strings.Fields(r.by)[0]) {
				t.Errorf("%s: %s, by %s", r.Name, name, r.by)
			}
			ending[name] = r.Name
		}
		for column, n := range r.needs {
			if n.least > n.enough || n.least < 0 || n.enough > 0 && r.measured == "" {
				t.Errorf("%s, column %d: least %d, enough %d, measured %q", r.Name, column, n.least, n.enough, r.measured)
			}
			if column == data && n.least > 0 && n.least <= int64(policy.LeastMemory) {
				t.Errorf("%s: a memory of %d is refused anyway", r.Name, n.least)
			}
		}
	}
	if Hosts("server") != "" || Starter("server.go") != "" || Starter("js") != "" {
		t.Error("a program, or a file, that the table does not have")
	}
}

// The table is laid out by the compiler: the package runs nothing at start.
func TestNothingIsMadeAtStart(t *testing.T) {
	out, err := exec.Command("go", "build", "-gcflags=-S", ".").CombinedOutput()
	if err != nil || !regexp.MustCompile(`(?m)^\S*/init/runtimes\.table SDATA `).Match(out) {
		t.Fatalf("go build: %v, and no table of the compiler's in\n%s", err, out)
	}
	for _, size := range regexp.MustCompile(`(?m)^\S*/init/runtimes\.init STEXT .*\bsize=(\d+)`).FindAllSubmatch(out, -1) {
		if n := string(size[1]); n != "1" && n != "16" { // a return alone
			t.Errorf("the package has a function of %s bytes that runs at start", n)
		}
	}
}

func TestRoundUp(t *testing.T) {
	for n, want := range map[int64]int64{1: 1, 4: 4, 5: 5, 11: 12, 23: 24, 576: 640, 488: 512, 1024: 1024, 1025: 1280} {
		if got := roundUp(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
