package shim_test

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// A call that the policy names is EPERM in the server, in every confinement that has a filter, and goes through where the
// policy does not name it.
func TestDeniedByName(t *testing.T) {
	for _, confinement := range []string{"full", "reduced", "limits"} {
		for _, c := range []struct {
			name, deny, said string
			code             int
		}{
			{"denied", `,"seccomp":{"deny":["mkdir","mkdirat"]}`, "Operation not permitted", 1},
			{"another denied", `,"seccomp":{"deny":["rmdir"]}`, "", 0},
			{"none denied", "", "", 0},
		} {
			t.Run(confinement+"/"+c.name, func(t *testing.T) {
				doc := altered.Weaker(`{"version":1`+c.deny+`}`, confinement)
				o := altered.Run(t, launch{Launch: host.Launch{Policy: doc, Begin: confinement, Command: []string{"/bin/sh", "-c", `exec mkdir "$HOME/folder"`}},
					Env: []string{"PATH=/usr/bin:/bin", "HOME=/nowhere/home"}, Dir: "/"})
				if o.Code != c.code || !strings.Contains(o.Stderr, c.said) || o.Event() != "exited" || o.Report[0]["confinement"] != confinement {
					t.Errorf("code %d, %s, %s", o.Code, o.Event(), o.Stderr)
				}
			})
		}
	}
}
