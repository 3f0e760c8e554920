// Package judge says what a policy opens on this machine. Every command that reads a policy asks it, so that all of
// them give one verdict, whoever made the policy.
//
//	e := judge.Of(p, "/srv/project/.mcp-sandbox/a.json") // the policy's paths are absolute
//	for _, l := range e.Warnings() {
//		fmt.Println(l.String())
//	}
//
// The sentences are those of [explain]. To them this package adds where the links in paths lead, which home passwd(5)
// names if HOME is another, where this product's own folders are, and whose a home that lasts is.
package judge

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Of judges a valid policy whose paths are absolute. maker is as in [order.Order.Maker]: the policy's file, if it lies
// in one.
func Of(p policy.Policy, maker string) explain.Explanation {
	home := order.Home(os.Environ())
	m := explain.Machine{Home: home, Own: ownFolders(), Whose: claim{maker}.whose}
	e := m.Explain(p, policy.Run)
	to, moved := followed(p)
	for _, m.Home = range slices.Compact([]string{home, follow(home), platform.UserHome(home)}) {
		if m.Home != home {
			other := m.Explain(p, policy.Run)
			e.Raise(&other, "")
		}
		if moved {
			other := m.Explain(to, policy.Run)
			e.Raise(&other, "; a link leads there")
		}
	}
	return e
}

// mostOpens is how many things the report of a launch names of its policy.
const mostOpens = 20

// Opens are the lines about what is wide or dangerous, for a report.
func Opens(p policy.Policy, maker string) (lines []string) {
	e := Of(p, maker)
	for _, l := range e.Warnings()[:min(len(e.Warnings()), mostOpens)] {
		lines = append(lines, l.String())
	}
	return lines
}

// ownFolders are this product's folders, as they are named and where links lead. A variable that does not count here
// may have counted where a server was started.
func ownFolders() (all []string) {
	var named []string
	if p, err := places.Of(os.Getenv); err == nil {
		named = p.Folders()
	}
	for _, variable := range []string{"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		if base := os.Getenv(variable); filepath.IsAbs(base) {
			named = append(named, filepath.Join(base, places.Name))
		}
	}
	for _, folder := range named {
		for _, at := range []string{folder, follow(folder)} {
			if !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}
