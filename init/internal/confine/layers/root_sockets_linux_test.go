package layers

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// The contract's rule: AF_UNIX is refused as a whole where sockets of the host are in reach and this Landlock cannot tell
// them apart.
func TestRefusesUnix(t *testing.T) {
	for _, c := range []struct {
		name    string
		root    bool // filesystem.default read
		hostNet bool
		grant   string // a folder in which sockets have to be expected
		from    int    // refused below this version of Landlock, and not from it on
	}{
		{"nothing granted", false, false, "", 0},
		{"all is shown", true, false, "", pathnameABI},
		{"a folder with sockets", false, false, "/home/u", pathnameABI},
		{"the host's network", false, true, "", scopesABI},
		{"the host's network and a folder with sockets", false, true, "/home/u", pathnameABI},
	} {
		v := &fsview.View{HostRoot: c.root, Sockets: fsview.Sockets{Grant: c.grant}}
		for abi := range 12 {
			if got := RefusesUnix(v, abi, c.hostNet); got != (abi < c.from) {
				t.Errorf("%s, ABI %d: refused %v", c.name, abi, got)
			}
		}
	}
}

// What the server may connect to, and what it may not make, is told.
func TestSocketsAreTold(t *testing.T) {
	const later = "belong to another network namespace or are bound later"
	for _, c := range []struct {
		name  string
		view  fsview.View
		level policy.Level
		abi   int
		want  string
	}{
		{"Landlock holds them", fsview.View{}, policy.Standard, pathnameABI, ""},
		{"a folder with sockets, and Landlock holds them", fsview.View{Sockets: fsview.Sockets{Grant: "/tmp"}}, policy.Standard, pathnameABI, ""},
		{"those there are are covered", fsview.View{}, policy.Standard, 7, later},
		{"the same, in the host's network", fsview.View{}, policy.LevelNetwork, 7, later},
		{"nobody could tell", fsview.View{Sockets: fsview.Sockets{Unlisted: unix.EAFNOSUPPORT}}, policy.Standard, 7, "could not be found out (address family"},
		{"a folder with sockets", fsview.View{Sockets: fsview.Sockets{Grant: "/tmp/x", Why: "it lies in /tmp"}}, policy.Standard, 7, "those of the host in /tmp/x, for it lies in /tmp"},
		{"all is shown", fsview.View{HostRoot: true}, policy.Standard, 0, "shown as a whole"},
		{"abstract ones", fsview.View{}, policy.LevelNetwork, 5, "abstract sockets of the host, which Landlock restricts from ABI 6 and this kernel has ABI 5"},
	} {
		m := Machine{Landlock: Landlock{LandlockABI: c.abi}}
		effect := socketsEffect(&Request{View: &c.view, Machine: m, Policy: policy.Policy{Level: c.level}})
		if !strings.Contains(effect, c.want) || (effect == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.name, effect, c.want)
		}
	}
}
