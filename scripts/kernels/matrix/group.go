package matrix

import (
	"regexp"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A Group is the way in which a server came into a control group of its own; design.md has three.
type Group string

const (
	NoGroup        Group = ""             // it is in the launcher's
	DelegatedGroup Group = "delegated"    // below a group that belongs to the launcher's user
	ManagerGroup   Group = "user manager" // in a scope that systemd's user manager made
	RootGroup      Group = "made by root" // right below the top
	StrangeGroup   Group = "somewhere else"
)

var ofManager = regexp.MustCompile(`^/user\.slice/.*/user@.*\.scope/`)

// GroupOf is the way in which a server came into its group. start is where its launcher was started, and delegated
// the group that belongs to the launcher's user, or "".
func GroupOf(server, start, delegated string) Group {
	switch {
	case server == start:
		return NoGroup
	case delegated != "" && strings.HasPrefix(server, delegated+"/"):
		return DelegatedGroup
	case ofManager.MatchString(server):
		return ManagerGroup
	case delegated == "" && strings.Count(server, "/") == 2:
		return RootGroup
	}
	return StrangeGroup
}

// Limits is the policy's part that control groups hold.
func Limits() map[string]any { return map[string]any{"cpu": "500m", "memory": "256M", "pids": 64} }

// LimitFiles are the files of a group in which limits show.
func LimitFiles() []string {
	return []string{"cpu.max", "memory.max", "memory.swap.max", "memory.oom.group", "pids.max"}
}

// The names of the two ways to launch.
const ByProgram, ByLibrary = "mcp-sandbox-init", "library"

// Of is what is expected of one of the ways. A host that uses the library is in its delegated group together with the
// launcher, and a host is not moved: there the group serves only a launcher that is alone in it.
func (e Expectation) Of(way string) Expectation {
	if way == ByLibrary && e.Place == job.Delegated && e.Group == DelegatedGroup {
		e.Group, e.Limits, e.Absent = NoGroup, nil, append(slices.Clone(e.Absent), order.Cgroup)
	}
	return e
}
