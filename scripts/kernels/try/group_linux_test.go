package try

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/matrix"
)

var ofManager = regexp.MustCompile(`^/user\.slice/.*/user@.*\.scope/`)

// wayInto is the way in which a server came into its group. start is where its launcher was started, and delegated
// the group that belongs to the launcher's user, or "".
func wayInto(server, start, delegated string) matrix.Group {
	switch {
	case server == start:
		return matrix.NoGroup
	case delegated != "" && strings.HasPrefix(server, delegated+"/"):
		return matrix.DelegatedGroup
	case ofManager.MatchString(server):
		return matrix.ManagerGroup
	case delegated == "" && strings.Count(server, "/") == 2:
		return matrix.RootGroup
	}
	return matrix.StrangeGroup
}

// limits is the policy's part that control groups hold.
func limits() map[string]any { return map[string]any{"cpu": "500m", "memory": "256M", "pids": 64} }

// limitFiles are the files of a group in which limits show.
func limitFiles() []string {
	return []string{"cpu.max", "memory.max", "memory.swap.max", "memory.oom.group", "pids.max"}
}

// of is what is expected of one of the ways. A host that uses the library is in its delegated group together with the
// launcher, and a host is not moved: there the group serves only a launcher that is alone in it.
func of(e matrix.Expectation, way string) matrix.Expectation {
	if way == byLibrary && e.Place == job.Delegated && e.Group == matrix.DelegatedGroup {
		e.Group, e.Limits, e.Absent = matrix.NoGroup, nil, append(slices.Clone(e.Absent), order.Cgroup)
	}
	return e
}

func TestWayInto(t *testing.T) {
	const scope = "/user.slice/user-1000.slice/user@1000.service/app.slice/mcp-sandbox-1.scope"
	for _, c := range []struct {
		server, start, delegated string
		want                     matrix.Group
	}{
		{"/", "/", "", matrix.NoGroup},
		{"/x/server", "/", "", matrix.RootGroup},
		{"/x", "/", "", matrix.StrangeGroup},
		{"/system.slice/guest.service", "/system.slice/guest.service", "", matrix.NoGroup},
		{scope + "/server", "/system.slice/guest.service", "", matrix.ManagerGroup},
		{scope, "/system.slice/guest.service", "", matrix.StrangeGroup}, // with the shim in it
		{"/d", "/d", "/d", matrix.NoGroup},
		{"/d/server", "/d", "/d", matrix.DelegatedGroup},
		{"/d/launcher", "/d/launcher", "/d", matrix.NoGroup},
		{"/d/x/server", "/d/launcher", "/d", matrix.DelegatedGroup},
		{"/dx/server", "/d", "/d", matrix.StrangeGroup},
	} {
		if got := wayInto(c.server, c.start, c.delegated); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// Only a host that embeds the library is in the way of its own launcher, and only where the group is theirs alone.
func TestOf(t *testing.T) {
	e := row(t, "6.12-delegated").Expect
	e.Group, e.Limits, e.Absent = matrix.DelegatedGroup, []string{"pids.max 64"}, nil
	for _, where := range []job.Place{job.Delegated, job.Below} {
		for _, way := range []string{byProgram, byLibrary} {
			e.Place = where
			got := of(e, way)
			alone := where == job.Below || way == byProgram
			if err := got.Check(); err != nil || (got.Group == matrix.DelegatedGroup) != alone || slices.Contains(got.Absent, order.Cgroup) == alone {
				t.Errorf("%s %s: %+v, %v", where, way, got, err)
			}
		}
	}
}
