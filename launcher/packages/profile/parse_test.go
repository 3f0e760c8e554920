package profile

import (
	"reflect"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/policy"
)

func TestParse(t *testing.T) {
	p, err := Parse([]byte(`{
	"package": "npm:@x/y",
	"policy": {"network": {"allowedDomains": ["api.example.com:443"]}, "filesystem": {"allowRead": ["-~/.x"]},
		"limits": {"openFiles": 4096, "memory": "4G"}, "env": {"X_FILE": "~/x"}},
	"arguments": [{"position": 0, "rest": true, "grant": "write"}, {"flag": "--db", "grant": "host", "scheme": "mysql", "portFrom": "X_PORT"},
		{"variable": "X_CONFIG", "grant": "read", "folder": true, "default": "/srv/x"}],
	"env": {"required": ["X_TOKEN"], "optional": ["EXAMPLE_*"], "unless": ["X_KEY", "--token"]},
	"flags": ["--header"],
	"hostsFrom": ["X_URL"],
	"state": true}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Profile{Package: "npm:@x/y", Required: []string{"X_TOKEN"}, Optional: []string{"EXAMPLE_*"}, Unless: []string{"X_KEY", "--token"}, Flags: []string{"--header"},
		HostsFrom: []string{"X_URL"}, State: true,
		Arguments: []Argument{{Position: 0, Rest: true, Grant: Write}, {Position: -1, Flag: "--db", Grant: Host, Scheme: "mysql", PortFrom: "X_PORT"},
			{Position: -1, Variable: "X_CONFIG", Grant: Read, Folder: true, Default: "/srv/x"}}}
	want.Policy.Network.AllowedDomains = []string{"api.example.com:443"}
	want.Policy.Filesystem.AllowRead = []string{"-~/.x"}
	want.Policy.Limits = policy.Limits{OpenFiles: 4096, Memory: 4 << 30}
	want.Policy.Env = []policy.Variable{{Name: "X_FILE", Value: "~/x"}}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("%+v\n%+v", p, want)
	}
}

func TestParseErrors(t *testing.T) {
	for doc, want := range map[string]string{
		``:                                  "the document is empty",
		`[]`:                                "must be an object",
		`{}`:                                "/package: missing",
		`{"package": "y"}`:                  "/package: is no package",
		`{"package": "npm:../y"}`:           "/package: is no package",
		`{"package": "npm:x:y"}`:            "/package: is no package",
		`{"Package": "npm:y"}`:              "/Package: unknown key",
		`{"package": 1}`:                    "/package: must be a string",
		`{"package": "npm:y", "package":1}`: "/package: this key occurs twice",
		`{"policy": {"level": "network"}}`:  "/policy/level: must be an object",
		`{"policy": {"network": {"allowPrivate": true}}}`:                       "/policy/network/allowPrivate: is no key of a profile",
		`{"policy": {"filesystem": {"default": "read"}}}`:                       "/policy/filesystem/default: is no key of a profile",
		`{"policy": {"filesystem": {"denyRead": ["/x"]}}}`:                      "/policy/filesystem/denyRead: is no key of a profile",
		`{"policy": {"network": {"allowUnixSockets": ["/x"]}}}`:                 "/policy/network/allowUnixSockets: is no key of a profile",
		`{"policy": {"subprocess": {"allow": false}}}`:                          "/policy/subprocess/allow: is no key of a profile",
		`{"policy": {"seccomp": {"deny": ["ptrace"]}}}`:                         "/policy/seccomp/deny: is no key of a profile",
		`{"policy": {"network": {"allowedDomains": ["https://x"]}}}`:            "/policy/network/allowedDomains/0: ",
		`{"policy": {"filesystem": {"allowRead": ["/proc"]}}}`:                  "/policy/filesystem/allowRead/0: ",
		`{"policy": {"filesystem": {"allowRead": ["/a", 1]}}}`:                  "/policy/filesystem/allowRead/1: must be a string",
		`{"policy": {"network": {"allowedDomains": "a.example.com:443"}}}`:      "/policy/network/allowedDomains: must be an array",
		`{"policy": {"limits": {"openFiles": ["4096"]}}}`:                       "/policy/limits/openFiles: must be a string",
		`{"policy": {"filesystem": {"env": []}}}`:                               "/policy/filesystem/env: is no key of a profile",
		`{"policy": {"limits": {"openFiles": "many"}}}`:                         "/policy/limits/openFiles: ",
		`{"policy": {"env": {"A=B": "x"}}}`:                                     "",
		`{"policy": {"env": {"A": 1}}}`:                                         "/policy/env/A: must be a string",
		`{"arguments": [{"grant": "read"}]}`:                                    "/arguments/0: must have one of position, flag and variable",
		`{"arguments": [{"variable": "X", "grant": "read", "unless": ["Y"]}]}`:  "/arguments/0: unless belongs to a default",
		`{"arguments": [{"variable": "X", "grant": "write", "key": "server"}]}`: "/arguments/0: key belongs to a file that is read",
		`{"arguments": [{"position": 0}]}`:                                      "/arguments/0: has no grant",
		`{"arguments": [{"position": -1, "grant": "read"}]}`:                    "/arguments/0/position: -1 is no position",
		`{"arguments": [{"flag": "db", "grant": "read"}]}`:                      "/arguments/0/flag: is no flag",
		`{"arguments": [{"flag": "--", "grant": "read"}]}`:                      "/arguments/0/flag: is no flag",
		`{"arguments": [{"flag": "--db", "grant": "all"}]}`:                     "/arguments/0/grant: is none of: read write host",
		`{"arguments": [{"flag": "--db", "grant": "read write"}]}`:              "/arguments/0/grant: is none of",
		`{"arguments": [{"flag": "--db", "grant": "read", "rest": true}]}`:      "/arguments/0: rest belongs to a position",
		`{"arguments": [{"flag": "--db", "grant": "host", "folder": true}]}`:    "/arguments/0: folder belongs to a path",
		`{"arguments": [{"flag": "--db", "grant": "read", "scheme": "http"}]}`:  "/arguments/0: scheme and portFrom belong to a host",
		`{"arguments": [{"flag": "--db", "grant": "host", "scheme": "smb"}]}`:   "/arguments/0/scheme: is a scheme whose port is not known here",
		`{"arguments": [{"flag": "--db", "grant": "host", "how": 1}]}`:          "/arguments/0/how: unknown key",
		`{"env": {"unless": ["A=B"]}}`:                                          "/env/unless/0: is no name of a variable",
		`{"env": {"unless": ["--a=b"]}}`:                                        "/env/unless/0: is no flag",
		`{"flags": ["header"]}`:                                                 "/flags/0: is no flag",
		`{"env": {"required": ["A B"]}}`:                                        "/env/required/0: is no name of a variable",
		`{"env": {"optional": ["*"]}}`:                                          "/env/optional/0: is no name of a variable",
		`{"env": {"optional": ["A_*"]}}`:                                        "/env/optional/0: is a pattern with a prefix of fewer than three letters",
		`{"hostsFrom": ["X_*"]}`:                                                "/hostsFrom/0: is no name of a variable",
		`{"state": "yes"}`:                                                      "/state: must be a boolean",
	} {
		_, err := Parse([]byte(doc))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", doc, err, want)
		}
	}
}
