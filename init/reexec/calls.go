package reexec

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// KnownCalls is a policy.Errors where a name in seccomp.deny is no system call's, or one that no server starts without:
// every launch refuses them.
func KnownCalls(p *policy.Policy) error {
	var errs policy.Errors
	for i, name := range p.Seccomp.Deny {
		if why := seccomp.Undeniable(name); why != "" {
			errs.Add("/seccomp/deny/"+strconv.Itoa(i), why)
		}
	}
	return errs.Err()
}
