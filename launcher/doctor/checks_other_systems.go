package doctor

import (
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// resources are the limits of a policy that this operating system can hold, by the facts of the trial.
func resources(_ *result, best *Trial) Check {
	var hold, gone []string
	for _, fact := range best.layer(order.Limits).Facts {
		switch name := resource(fact.Name); {
		case name == "":
		case fact.Got == "":
			gone = append(gone, name)
		default:
			hold = append(hold, name)
		}
	}
	held, lacks := strings.Join(hold, ", "), strings.Join(gone, ", ")
	switch {
	case held == "" && lacks == "":
		return missing("none", "")
	case held == "":
		return missing("none that can be shown to hold; not "+lacks, "")
	case lacks == "":
		return works(held)
	}
	return limited(held+"; not "+lacks, "")
}

// resource is the usual name of a policy's limit, or "" for the layer's other facts: membership in the jobs or the
// session, their end, and the trial of a limit that has a fact itself.
func resource(fact string) string {
	other := []string{"in the ", "flags of ", "session ", "user interface", "core"}
	if strings.HasSuffix(fact, ", one MiB more") ||
		slices.ContainsFunc(other, func(start string) bool { return strings.HasPrefix(fact, start) }) {
		return ""
	}
	if fact = strings.TrimSuffix(fact, inheritedLimit); fact == "data" { // RLIMIT_DATA
		return "memory"
	}
	return fact
}

func noNetwork(*result) Check { return missing("not available", "") }

func noFiles(*result) Check {
	return limited("a private temporary folder; every file of the user can be read and written", "")
}

func recommendation(r *result) Check {
	fix := diagnose.UseLinux
	if r.environment.OS == "windows" {
		fix = diagnose.UseWSL
	}
	return limited("for servers that you do not trust, a Linux machine: there files and network are confined", fix)
}
