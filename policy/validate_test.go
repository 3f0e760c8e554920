package policy

import (
	"runtime"
	"strings"
	"testing"
)

func TestValidate(t *testing.T) {
	if err := (Policy{}).Validate(); err != nil {
		t.Errorf("the zero Policy: %v", err)
	}
	for _, test := range []struct {
		policy Policy
		want   string
	}{
		{Policy{Level: "Strict"}, `/level: "Strict" is none of: strict standard network privileged`},
		{Policy{MinConfinement: "most"}, `/minConfinement: "most" is none of: full reduced limits none`},
		{Policy{Filesystem: Filesystem{Default: "write"}}, `/filesystem/default: "write" is none of: deny read`},
		{Policy{Filesystem: Filesystem{AllowRead: []string{"/a", "", "/dev/null"}}},
			"/filesystem/allowRead/1: the path is empty\n/filesystem/allowRead/2: \"/dev/null\" cannot be granted: nothing of /dev can"},
		{Policy{Filesystem: Filesystem{DenyRead: []string{"/a\x00b"}}}, `/filesystem/denyRead/0: "/a\x00b" holds a NUL`},
		{Policy{Filesystem: Filesystem{AllowWrite: []string{"/a\xff"}}}, `/filesystem/allowWrite/0: "/a\xff" is not UTF-8`},
		{Policy{Filesystem: Filesystem{TmpSize: Unlimited}}, "/filesystem/tmpSize: must have a limit"},
		{Policy{Filesystem: Filesystem{TmpSize: -2}}, `/filesystem/tmpSize: "-2" is negative`},
		{Policy{Filesystem: Filesystem{TmpSize: 512}, Limits: Limits{Memory: 16<<20 - 1}},
			"/filesystem/tmpSize: \"512\" is below 1M, the least that it can be: a number alone is bytes (did you mean 512M?)\n" +
				"/limits/memory: \"16777215\" is below 16M, the least that it can be"},
		{Policy{Network: Network{AllowedDomains: []string{"*"}}}, `/network/allowedDomains/0: "*" is no domain: a star can only stand in front, as in *.example.com`},
		{Policy{Level: LevelNetwork, Network: Network{AllowedDomains: []string{"a.example"}}},
			"/network/allowedDomains: cannot be held in level network, where the server has the host's network"},
		{Policy{Level: Privileged, Network: Network{DeniedDomains: []string{"a.example"}, Publish: []string{"0:80"}}},
			"/network/deniedDomains: cannot be held in level privileged, where the server has the host's network\n" +
				"/network/publish: cannot be held in level privileged, where the server has the host's network"},
		{Policy{Network: Network{CheckServerName: 3}}, "/network/checkServerName: 3 is neither Unset, No nor Yes"},
		{Policy{Subprocess: Subprocess{3}}, "/subprocess/allow: 3 is neither Unset, No nor Yes"},
		{Policy{Env: []Variable{{"A", "1"}, {"B", "\x00"}, {"A", "2"}, {"C=", ""}}},
			"/env/B: the value holds a NUL or is not UTF-8\n/env/A: this variable occurs twice\n/env/C=: \"C=\" and what follows is no name of a variable: NAME=VALUE goes into env"},
		{Policy{EnvVars: []string{""}}, "/envVars/0: a name is empty"},
		{Policy{Limits: Limits{CPU: -5, Pids: -2, Timeout: -3, Memory: Unlimited}},
			"/limits/cpu: \"-5\" is negative\n/limits/pids: \"-2\" is negative\n/limits/timeout: \"-3\" is negative"},
		{Policy{Limits: Limits{CPU: maxCPU + 1}}, `/limits/cpu: "1048576001m" is no number of cores: write 500m, 2 or 0.5, or "unlimited"`},
		{Policy{Limits: Limits{Grace: Unlimited}}, "/limits/grace: must have a limit"},
		{Policy{OnStdinClose: "wait", OnHostExit: "wait"}, "/onStdinClose: \"wait\" is none of: terminate ignore\n/onHostExit: \"wait\" is none of: terminate ignore"},
		{Policy{Seccomp: Seccomp{[]string{"a b"}}}, `/seccomp/deny/0: "a b" is no name of a system call`},
		{Policy{Umask: "77"}, `/umask: "77" is no umask: write three or four octal digits such as "0077"`},
		{Policy{Cwd: "-x"}, `/cwd: "-x" cannot be optional`},
		{Policy{User: "1"}, `/user: "1" is no user: the group's number follows, as in "1:1"`},
	} {
		if err := test.policy.Validate(); err == nil || err.Error() != test.want {
			t.Errorf("%+v:\ngot  %v\nwant %s", test.policy, err, test.want)
		}
	}
}

// A document may have MaxDocument bytes and not one more.
func TestLongDocument(t *testing.T) {
	doc := []byte(`{"version": 1}` + strings.Repeat(" ", MaxDocument))
	if _, err := Parse(doc[:MaxDocument]); err != nil {
		t.Error(err)
	}
	if _, err := Parse(doc[:MaxDocument+1]); err == nil || err.Error() != "the document is longer than 1048576 bytes" {
		t.Errorf("got %v", err)
	}
}

// The defaults that depend on the program and the system; the rest is in testdata/valid.
func TestEffective(t *testing.T) {
	for program, want := range map[Program]Reaction{Init: Terminate, Library: Terminate, Run: Ignore} {
		if got := (Policy{}).Effective(program).OnStdinClose; got != want {
			t.Errorf("program %d: onStdinClose is %s", program, got)
		}
		if got := (Policy{OnStdinClose: Terminate}).Effective(program).OnStdinClose; got != Terminate {
			t.Errorf("program %d: a named onStdinClose becomes %s", program, got)
		}
	}
	for _, n := range []Network{{}, {DeniedDomains: []string{"a.example"}}} {
		if got := (Policy{Network: n}).Effective(Init).Network.CheckServerName; got != Unset {
			t.Errorf("without a connection to check, %+v: %s", n, got)
		}
	}
	n := Network{AllowedDomains: []string{"a.example"}}
	if got := (Policy{Network: n}).Effective(Init).Network.CheckServerName; got != Yes {
		t.Errorf("checkServerName is %s", got)
	}
	n.CheckServerName = No
	if got := (Policy{Network: n}).Effective(Init).Network.CheckServerName; got != No {
		t.Errorf("a named checkServerName becomes %s", got)
	}
	for _, test := range []struct {
		level  Level
		system string
		want   Confinement
	}{
		{Strict, "linux", Full}, {Strict, "darwin", Full},
		{Standard, "linux", Reduced}, {Standard, "darwin", ConfinementLimits}, {Standard, "windows", ConfinementLimits},
		{LevelNetwork, "linux", Reduced}, {LevelNetwork, "windows", ConfinementLimits}, {Privileged, "linux", None}, {"", "linux", Reduced},
	} {
		if got := (Policy{Level: test.level}).effective(Init, test.system).MinConfinement; got != test.want {
			t.Errorf("%s on %s: %s", test.level, test.system, got)
		}
		if got := (Policy{Level: test.level, MinConfinement: Full}).effective(Init, test.system).MinConfinement; got != Full {
			t.Errorf("%s on %s: a named minConfinement becomes %s", test.level, test.system, got)
		}
	}
}

// A path as long as the kernel takes one is taken, and a longer one is refused without being shown.
func TestLongPath(t *testing.T) {
	for n, want := range map[int]bool{longestPath: true, longestPath + 1: runtime.GOOS == "windows"} {
		var p Policy
		err := p.Set("filesystem.denyRead", "/"+strings.Repeat("a", n-1))
		if (err == nil) != want || err != nil && len(err.Error()) > 200 {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
}
