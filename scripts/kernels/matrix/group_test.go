package matrix

import (
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

func TestGroupOf(t *testing.T) {
	const scope = "/user.slice/user-1000.slice/user@1000.service/app.slice/mcp-sandbox-1.scope"
	for _, c := range []struct {
		server, start, delegated string
		want                     Group
	}{
		{"/", "/", "", NoGroup},
		{"/x/server", "/", "", RootGroup},
		{"/x", "/", "", StrangeGroup},
		{"/system.slice/guest.service", "/system.slice/guest.service", "", NoGroup},
		{scope + "/server", "/system.slice/guest.service", "", ManagerGroup},
		{scope, "/system.slice/guest.service", "", StrangeGroup}, // with the shim in it
		{"/d", "/d", "/d", NoGroup},
		{"/d/server", "/d", "/d", DelegatedGroup},
		{"/d/launcher", "/d/launcher", "/d", NoGroup},
		{"/d/x/server", "/d/launcher", "/d", DelegatedGroup},
		{"/dx/server", "/d", "/d", StrangeGroup},
	} {
		if got := GroupOf(c.server, c.start, c.delegated); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Only a host that embeds the library is in the way of its own launcher, and only where the group is theirs alone.
func TestOf(t *testing.T) {
	e := row(t, "6.12-delegated").Expect
	e.Group, e.Limits, e.Absent = DelegatedGroup, []string{"pids.max 64"}, nil
	for _, where := range []job.Place{job.Delegated, job.Below} {
		for _, way := range []string{ByProgram, ByLibrary} {
			e.Place = where
			got := e.Of(way)
			alone := where == job.Below || way == ByProgram
			if err := got.Check(); err != nil || (got.Group == DelegatedGroup) != alone || slices.Contains(got.Absent, order.Cgroup) == alone {
				t.Errorf("%s %s: %+v, %v", where, way, got, err)
			}
		}
	}
}
