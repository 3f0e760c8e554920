package shim_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// levelFlag makes this test binary a server that tries what the levels differ in.
const levelFlag = "-acts-of-levels"

// tryLevel tries each act and says which went through. Args are the stage and an address of the host's loopback.
func tryLevel(args []string) int {
	s := stage{altered.Stage{Dir: args[0]}}
	for _, a := range []struct {
		name string
		try  func() error
	}{
		{"reads", func() error { _, err := os.ReadFile(s.Path("read/file")); return err }},
		{"writes", func() error { return os.WriteFile(s.Path("write/level"), nil, 0o600) }},
		{"reads-all", func() error { _, err := os.ReadFile(s.Path("home/key")); return err }},
		{"starts", func() error { return exec.Command("/bin/true").Run() }},
		{"connects", func() error {
			c, err := net.Dial("tcp", args[1])
			if err == nil {
				c.Close()
			}
			return err
		}},
	} {
		if a.try() == nil {
			fmt.Print(a.name, " ")
		}
	}
	return 0
}

// Each level gives what the contract's table says, in each confinement that it can have, and nothing else.
func TestLevels(t *testing.T) {
	exe := testbed.Self(t, "self")
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer outside.Close()
	for _, c := range []struct{ level, confinement, gives string }{
		{"strict", "full", "reads "},
		{"strict", "reduced", "reads "},
		{"standard", "full", "reads writes starts "},
		{"standard", "reduced", "reads writes starts "},
		{"standard", "limits", "reads writes reads-all starts "}, // the filter stays
		{"network", "full", "reads writes starts connects "},
		{"network", "reduced", "reads writes starts connects "},
		{"network", "limits", "reads writes reads-all starts connects "},
		{"privileged", "none", "reads writes reads-all starts connects "},
	} {
		t.Run(c.level+"/"+c.confinement, func(t *testing.T) {
			s := build(t, "/var/tmp")
			if err := os.WriteFile(s.Path("home/key"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
			os.Chmod(s.Path("home/key"), 0o644)
			o := altered.Run(t, launch{
				Launch: host.Launch{
					Policy: `{"version":1,"level":"` + c.level + `","minConfinement":"` + c.confinement + `","filesystem":{"allowRead":["` + s.Path("read") + `"],"allowWrite":["` +
						s.Path("write") + `"]}}`,
					Begin:   c.confinement,
					Command: []string{exe, levelFlag, s.Dir, outside.Addr().String()},
				},
				Env: []string{"HOME=" + s.Path("home"), "PATH=/usr/bin:/bin"},
				Dir: s.Dir,
			})
			if o.Code != 0 || o.Report[0]["confinement"] != c.confinement || o.Report[0]["level"] != c.level || o.Stdout != c.gives {
				t.Errorf("code %d, gives %q, want %q\n%v\n%s", o.Code, o.Stdout, c.gives, o.Report, o.Stderr)
			}
			if loud := strings.Contains(o.Stderr, "NOTHING IS CONFINED"); loud != (c.level == "privileged") {
				t.Errorf("said\n%s", o.Stderr)
			}
		})
	}
}

// Level network is level standard but for the network namespace and what the contract ties to it: the host's names.
func TestNetworkIsStandardButForTheNetwork(t *testing.T) {
	facts := func(level, confinement string) (all []string) {
		s := build(t, "")
		o := altered.Run(t, launch{Launch: host.Launch{Policy: `{"version":1,"level":"` + level + `","minConfinement":"` + confinement + `"}`, Begin: confinement,
			Command: []string{"/bin/true"}}, Env: []string{"HOME=/nowhere/home", "PATH=/usr/bin:/bin"}, Dir: s.Dir})
		if o.Code != 0 {
			t.Fatalf("code %d\n%s", o.Code, o.Stderr)
		}
		for _, l := range o.Report[0]["layers"].([]any) {
			layer := l.(map[string]any)
			facts, _ := layer["facts"].([]any)
			for _, f := range facts {
				name := fmt.Sprint(layer["layer"], " ", f.(map[string]any)["name"])
				if at := strings.Index(name, "/mcp-sandbox-"); at >= 0 {
					name = name[:at] + name[strings.LastIndexByte(name, '/'):] // the private folder has another name each time
				}
				all = append(all, name)
			}
		}
		return all
	}
	for _, confinement := range []string{"full", "reduced"} {
		standard, network := facts("standard", confinement), facts("network", confinement)
		differs := func(a, b []string) (only []string) {
			for _, f := range a {
				if !slices.Contains(b, f) {
					only = append(only, f)
				}
			}
			return only
		}
		for _, f := range append(differs(standard, network), differs(network, standard)...) {
			if f != "namespaces net" && !strings.HasPrefix(f, "network ") && !strings.HasPrefix(f, "root mount /etc/") && f != "landlock read /run/systemd/resolve" &&
				!strings.HasSuffix(f, "resolv.conf") {
				t.Errorf("%s: %s is of one level alone", confinement, f)
			}
		}
	}
}
