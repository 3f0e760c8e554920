package fsview

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// With subprocess.allow false what env(1) would execute is executed itself, and what starts others is refused.
func TestOnce(t *testing.T) {
	const tree = `
		bin/node!
		bin/npx-cli.js! = #!/usr/bin/env node\n
		bin/npx -> npx-cli.js
		bin/renamed -> npx-cli.js
		bin/py! = #!/bin/sh\n
		plain! = #!T/bin/node --flag with blanks\n
		byenv! = #!/usr/bin/env node\n
		split! = #!/usr/bin/env -S node --a  --b\n
		long! = #!/usr/bin/env --split-string=node --a\n
		twice! = #!T/byenv arg\n
		shim! = #!/usr/bin/env py\n
		variable! = #!/usr/bin/env -S A=1 node\n
		quoted! = #!/usr/bin/env -S node "a b"\n
		option! = #!/usr/bin/env -i node\n
		none! = #!/usr/bin/env\n
		shell! = #!/bin/sh\n`
	for _, c := range []struct{ argv0, command, argv, refused string }{
		{argv0: "T/bin/node", command: "T/bin/node", argv: "T/bin/node|-x"},
		{argv0: "node", command: "T/bin/node", argv: "node|-x"},
		{argv0: "T/plain", command: "T/plain", argv: "T/plain|-x"}, // the kernel's own work
		{argv0: "T/byenv", command: "T/bin/node", argv: "node|T/byenv|-x"},
		{argv0: "T/split", command: "T/bin/node", argv: "node|--a|--b|T/split|-x"},
		{argv0: "T/long", command: "T/bin/node", argv: "node|--a|T/long|-x"},
		{argv0: "T/twice", command: "T/bin/node", argv: "node|T/byenv|arg|T/twice|-x"},
		{argv0: "T/shim", refused: "/bin/sh"},
		{argv0: "T/variable", refused: "env"},
		{argv0: "T/quoted", refused: "env"},
		{argv0: "T/option", refused: "env"},
		{argv0: "T/none", refused: "env"},
		{argv0: "T/shell", refused: "/bin/sh"},
		{argv0: "npx", refused: "starts other programs"},
		{argv0: "T/bin/renamed", refused: "starts other programs"},
		{argv0: "sh", refused: "starts other programs"},
		{argv0: "/usr/bin/env", refused: "starts other programs"},
	} {
		t.Run(c.argv0, func(t *testing.T) {
			root := plant(t, tree)
			r := wish{}.request(root)
			in := func(s string) string { return strings.ReplaceAll(s, "T/", root+"/") }
			r.Command = []string{in(c.argv0), "-x"}
			r.Env = append(r.Env, "PATH="+root+"/bin:"+root+":/usr/bin:/bin")
			given := slices.Clone(r.Command)
			if _, err := Plan(r); err != nil {
				t.Fatal("control:", err)
			}
			r.Policy.Subprocess.Allow = policy.No
			v, err := Plan(r)
			if c.refused != "" {
				if !errors.Is(err, ErrStarts) || !strings.Contains(err.Error(), c.refused) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(v.Argv, "|"); v.Command != in(c.command) || got != in(c.argv) || !slices.Equal(r.Command, given) {
				t.Errorf("%s %s, want %s %s", v.Command, got, in(c.command), in(c.argv))
			}
		})
	}
}

// A script that leads to itself is no endless search.
func TestOnceLoop(t *testing.T) {
	root := plant(t, "loop! = #!/usr/bin/env loop\n")
	r := wish{}.request(root)
	r.Command, r.Env = []string{root + "/loop"}, append(r.Env, "PATH="+root)
	r.Policy.Subprocess.Allow = policy.No
	if _, err := Plan(r); !errors.Is(err, ErrNotExecutable) {
		t.Errorf("got %v", err)
	}
}
