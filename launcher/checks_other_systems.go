package launcher

import (
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// resources are the limits of a policy that this operating system can hold, by the facts of the trial.
func (f *findings) resources() Check {
	const name = "Resource limits"
	best, reached := f.reached()
	if reached == policy.None {
		return Check{name, Missing, untried, ""}
	}
	var hold, gone []string
	for _, fact := range best.layer(order.Limits).Facts {
		if !isResource(fact.Name) {
			continue
		}
		if fact.Got == "" {
			gone = append(gone, resource(fact.Name))
			continue
		}
		hold = append(hold, resource(strings.TrimSuffix(fact.Name, inheritedLimit)))
	}
	switch {
	case len(hold) == 0 && len(gone) > 0:
		return Check{name, Missing, "none that can be shown to hold; not " + strings.Join(gone, ", "), ""}
	case len(hold) == 0:
		return Check{name, Missing, "none", ""}
	case len(gone) == 0:
		return Check{name, Works, strings.Join(hold, ", "), ""}
	}
	return Check{name, Limited, strings.Join(hold, ", ") + "; not " + strings.Join(gone, ", "), ""}
}

// resource is what people call it.
func resource(fact string) string {
	if fact == "data" { // RLIMIT_DATA
		return "memory"
	}
	return fact
}

// isResource tells the limits of a policy from the layer's other facts: that the server is in its jobs or its session, how those
// end, and the trial of a limit that has a fact itself.
func isResource(fact string) bool {
	for _, other := range [...]string{"in the ", "flags of ", "session ", "user interface", "core"} {
		if strings.HasPrefix(fact, other) {
			return false
		}
	}
	return !strings.HasSuffix(fact, ", one MiB more")
}

func (f *findings) noNetwork() Check {
	return Check{"Network isolation", Missing, "not available", ""}
}

func (f *findings) noFiles() Check {
	return Check{"Filesystem", Limited, "a private temporary folder; every file of the user can be read and written", ""}
}

func (f *findings) recommendation() Check {
	const inside = "for servers that you do not trust, a Linux machine: there files and network are confined"
	if f.os == "windows" {
		return Check{"Recommendation", Limited, inside, "`wsl --install`, and run host and servers in WSL 2"}
	}
	return Check{"Recommendation", Limited, inside, "run host and servers in a Linux virtual machine or container"}
}
