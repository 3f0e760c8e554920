package policy

import (
	"reflect"
	"strings"
	"testing"
)

// Flags over a file: lists grow, all else is replaced.
func TestSet(t *testing.T) {
	file, err := Parse([]byte(`{"version": 1, "level": "strict", "filesystem": {"allowRead": ["/a"], "tmpSize": "1G"},
		"env": {"A": "1", "B": "2"}, "envVars": ["X"], "limits": {"memory": "1G", "timeout": "1m"}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := file
	for _, set := range [][2]string{
		{"level", "standard"}, {"minConfinement", "full"}, {"filesystem.default", "read"}, {"filesystem.allowRead", "~/b"},
		{"filesystem.allowRead", "-c"}, {"filesystem.denyRead", "/d"}, {"filesystem.allowWrite", "."}, {"filesystem.denyWrite", "/e"},
		{"filesystem.tmpSize", "2G"}, {"network.allowedDomains", "a.example"}, {"network.deniedDomains", "b.example"},
		{"network.allowPrivate", "true"}, {"network.checkServerName", "false"}, {"network.publish", "8080:3000"}, {"network.allowUnixSockets", "/run/s"}, {"subprocess.allow", "true"},
		{"env", "A=one=1"}, {"env", "C="}, {"env", "Y"}, {"envVars", "Z"}, {"limits.cpu", "0.5"}, {"limits.memory", "unlimited"},
		{"limits.addressSpace", "1T"}, {"limits.pids", "9"}, {"limits.openFiles", "unlimited"}, {"limits.fileSize", "1M"},
		{"limits.io", "2M"}, {"limits.timeout", "unlimited"}, {"limits.grace", "1s"}, {"onStdinClose", "ignore"},
		{"onHostExit", "terminate"}, {"seccomp.deny", "ptrace"}, {"umask", "027"}, {"state", "acme"}, {"cwd", "/w"}, {"user", "1:1"},
	} {
		if err := p.Set(set[0], set[1]); err != nil {
			t.Errorf("%s %s: %v", set[0], set[1], err)
		}
	}
	want := Policy{
		Level: Standard, MinConfinement: Full,
		Filesystem: Filesystem{Default: Read, AllowRead: []string{"/a", "~/b", "-c"}, DenyRead: []string{"/d"}, AllowWrite: []string{"."},
			DenyWrite: []string{"/e"}, TmpSize: 2 << 30},
		Network: Network{AllowedDomains: []string{"a.example"}, DeniedDomains: []string{"b.example"}, AllowPrivate: true,
			CheckServerName: No, AllowUnixSockets: []string{"/run/s"}, Publish: []string{"8080:3000"}},
		Subprocess: Subprocess{Yes},
		Env:        []Variable{{"B", "2"}, {"A", "one=1"}, {"C", ""}},
		EnvVars:    []string{"X", "Y", "Z"},
		Limits: Limits{CPU: 500, Memory: Unlimited, AddressSpace: 1 << 40, Pids: 9, OpenFiles: Unlimited, FileSize: 1 << 20, IO: 2 << 20,
			Timeout: Unlimited, Grace: 1e9},
		OnStdinClose: Ignore, OnHostExit: Terminate, Seccomp: Seccomp{[]string{"ptrace"}}, Umask: "027", State: "acme", Cwd: "/w", User: "1:1",
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	if file.Env[0].Value != "1" || len(file.Filesystem.AllowRead) != 1 {
		t.Errorf("the file's policy changed: %+v", file)
	}
	// Two policies grown from one do not write into each other's lists.
	a, b := p, p
	if err := a.Set("filesystem.allowRead", "/of-a"); err != nil {
		t.Fatal(err)
	}
	if err := b.Set("filesystem.allowRead", "/of-b"); err != nil {
		t.Fatal(err)
	}
	if got := a.Filesystem.AllowRead[3]; got != "/of-a" {
		t.Errorf("a has %s", got)
	}
	if err := b.Set("network.allowPrivate", "false"); err != nil || b.Network.AllowPrivate {
		t.Errorf("false does not take a grant back: %v", err)
	}
}

// Every key refuses something, in one line, and keeps what it had.
func TestSetErrors(t *testing.T) {
	bad := map[string]string{
		"level": "Standard", "minConfinement": "", "filesystem.default": "write", "filesystem.allowRead": "/proc", "filesystem.denyRead": "*",
		"filesystem.allowWrite": "/", "filesystem.denyWrite": "", "filesystem.tmpSize": "0", "network.allowedDomains": "https://a.example",
		"network.deniedDomains": "*", "network.allowPrivate": "yes", "network.allowUnixSockets": "/dev/log",
		"network.checkServerName": "", "network.publish": "3000", "subprocess.allow": "",
		"env": "=x", "envVars": "A=b", "limits.cpu": "-1", "limits.memory": "10X", "limits.addressSpace": "", "limits.pids": "0",
		"limits.openFiles": "many", "limits.fileSize": "-1", "limits.io": "1/s", "limits.timeout": "5", "limits.grace": "unlimited",
		"onStdinClose": "kill", "onHostExit": "stay", "seccomp.deny": "@clock", "umask": "8", "state": "../x", "cwd": "-x", "user": "root:root",
		"version": "1", "filesystem": "deny", "Level": "strict", "": "",
	}
	for _, key := range Keys() {
		if _, ok := bad[key]; !ok {
			t.Errorf("%s is not tried", key)
		}
	}
	for key, value := range bad {
		var p Policy
		err := p.Set(key, value)
		if err == nil || err.Error() == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: got %v", key, value, err)
		}
		if !reflect.DeepEqual(p, Policy{}) {
			t.Errorf("%s %q: leaves %+v", key, value, p)
		}
	}
	var p Policy
	for _, value := range []string{"A=\x00", "A=\xff", "A B=1"} {
		if err := p.Set("env", value); err == nil {
			t.Errorf("env %q is taken", value)
		}
	}
	if err := p.Set("limits.memory", "TOKEN=secret"); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("a misplaced variable: %v", err)
	}
}
