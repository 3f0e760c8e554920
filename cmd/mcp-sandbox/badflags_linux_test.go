package main

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/scripttest"
)

// program runs mcp-sandbox.
func program(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args, cmd.Dir = append([]string{"mcp-sandbox"}, args...), t.TempDir()
	return testbed.Finish(t, cmd)
}

// refused demands one clear line, nothing on standard output, and no server.
func refused(t *testing.T, args []string, words string) {
	t.Helper()
	code, stdout, stderr := program(t, args...)
	if code != 125 || stdout != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, words) {
		t.Errorf("%q: got %d %q %q, want 125, nothing, one line with %q", args, code, stdout, stderr, words)
	}
	if problem := scripttest.Foreign(stderr); problem != "" {
		t.Errorf("%q: %s", args, problem)
	}
}

// badValues has values that each flag refuses, and one that it takes.
func badValues(flag string) (bad []string, good string) {
	sizes := []string{"0", "-1", "10X", "1e3", "M", "99999999999T"}
	paths := []string{"/", "/proc", "/sys/x", "/dev/null", "/srv/*", "-", "/no/such/path", "no-such-path"}
	switch flag {
	case "policy":
		return []string{"missing.json", "/usr", "/dev/null", "/dev/zero"}, ""
	case "policy-fd", "report-fd":
		return []string{"0", "2", "-1", "x", "3.5", "250", "99999999999999999999"}, ""
	case "report":
		return []string{"/usr", "/no/such/folder/report", "/dev/full"}, "/dev/null"
	case "tty", "stdout-guard": // what they do is tried by a script and in package transport
		return []string{"maybe"}, "false"
	case "verbose", "quiet":
		return []string{"maybe"}, "true"
	case "level":
		return []string{"Standard", "loose", "strict,standard"}, "network"
	case "min-confinement":
		return []string{"Full", "most"}, "reduced"
	case "fs-default":
		return []string{"allow", "write", "READ"}, "deny"
	case "deny-syscall":
		return []string{"no_such_call", "-5", "read,write"}, "bpf"
	case "user":
		return []string{"0:0", "5:0", "0:5", "nobody", "5", "5:5:5", "-1:5", "4294967295:5"}, ids()
	case "allow-read", "allow-write":
		return paths, "-/no/such/path"
	case "deny-read", "deny-write":
		return []string{"/srv/*", "-", "/no/such/path"}, "-/no/such/path"
	case "cwd":
		return []string{"/srv/*", "/no/such/path"}, "/usr"
	case "umask":
		return []string{"9", "77777", "0x1", "rwx"}, "0077"
	case "env-file":
		return []string{"missing.env", "/usr", "/dev/zero"}, "/dev/null"
	case "state":
		return []string{"..", "a/b", ".hidden", strings.Repeat("n", 65)}, "acme"
	case "env":
		return []string{"=x", "A B", "A\nB"}, "A=b"
	case "tmp-size":
		return append(sizes, "unlimited"), "64M"
	case "memory", "file-size", "address-space", "io":
		return sizes, "4G"
	case "cpu":
		return []string{"0", "-1", "two", "0.0001"}, "2"
	case "pids", "open-files":
		return []string{"0", "-1", "1.5", "1K", "many", "99999999999999999999"}, "200"
	case "timeout", "grace":
		return []string{"0", "0s", "-1s", "5", "5 s", "soon"}, "20s"
	case "on-stdin-close", "on-host-exit":
		return []string{"stop", "Ignore"}, "terminate"
	case "allow-domain", "deny-domain":
		return []string{"http://example.com", "localhost", "*", "a:0", "a:b", "*.co.uk", "127.0.0.1:80", "169.254.169.254", "a:53",
			"::ffff:192.0.2.1", "10.0.0.0/8", "b\u00fccher.example"}, "example.com"
	case "publish":
		return []string{"3000", "8080:0", "65536:1", "8080:3000/tcp", "localhost:8080:3000", "::1:8080:3000", "08:1", "-1:80",
			"192.0.2.1:0:3000"}, "0:3000"
	case "allow-private", "subprocess":
		return []string{"maybe"}, "true"
	case "no-subprocess", "no-check-server-name":
		return []string{"true", "false"}, "" // told.txtar and habits.txtar have the control
	case "profile":
		return []string{"npm:", "npm:../x", "npm:@modelcontextprotocol/Server-github", "NONE", "github"}, "none"
	case "min-age":
		return []string{"0", "7", "-7d", "1.5d", "d", "99999d", "week"}, "7d"
	case "install-size":
		return append(sizes, "unlimited", "15M"), "4G"
	case "scripts", "registry-auth", "registry-from-project":
		return []string{"maybe"}, "true"
	case "allow-unix-socket":
		return []string{"/no/such/path", "*"}, "-/no/such/path"
	}
	return nil, ""
}

// ids are those that the launcher's user may give to a server.
func ids() string {
	if os.Geteuid() == 0 {
		return "1234:1234"
	}
	return strconv.Itoa(os.Geteuid()) + ":" + strconv.Itoa(os.Getegid())
}

// Bad input to every flag is one clear line and 125; nothing on standard output, ever, and no server.
func TestEveryFlagWithBadInput(t *testing.T) {
	server := []string{"--", "echo", "ran"}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	for _, l := range command(t, "run").Flags().Lines {
		if l.Name == "" || !l.Here() {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			flag := "--" + l.Name
			bad, good := badValues(l.Name)
			if len(bad) == 0 {
				t.Fatal("this flag needs bad values here")
			}
			for _, v := range bad {
				refused(t, append([]string{"run", flag + "=" + v}, server...), "")
				if l.Value != "" && !testing.Short() { // no switch; the value as the next word
					refused(t, append([]string{"run", flag, v}, server...), "")
				}
			}
			if testing.Short() { // what all flags have in common is package cli's, and of the program habits.txtar has it
				_, err := command(t, "run").Flags().Parse([]string{flag + "="})
				if got := fmt.Sprint(err); !strings.HasPrefix(got, flag+": needs a value") {
					t.Error(got)
				}
			} else {
				refused(t, append([]string{"run", flag + "="}, server...), "")
				if l.Value != "" {
					refused(t, append([]string{"run", flag, ""}, server...), "")
					refused(t, append([]string{"run", flag}, server...), flag+" needs a value")
				}
			}
			if good == "" {
				return
			}
			// The control: the flag itself is no obstacle.
			if code, stdout, stderr := program(t, append([]string{"run", flag + "=" + good}, server...)...); code != 0 || stdout != "ran\n" {
				t.Errorf("%s=%s: got %d %q %q", flag, good, code, stdout, stderr)
			}
		})
	}
}

// What is no flag and no command is told.
func TestNoSuchFlag(t *testing.T) {
	for _, name := range []string{"backend", "no-such-flag"} {
		refused(t, []string{"run", "--" + name, "--", "echo", "ran"}, `unknown flag "--`+name+`"`)
	}
	for _, name := range []string{"import", "learn"} {
		refused(t, []string{name}, `"`+name+`" is no command`)
	}
}
