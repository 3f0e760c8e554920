package reexec

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// KnownCalls is a policy.Errors where a name in seccomp.deny is no system call's, which every launch refuses.
func KnownCalls(p *policy.Policy) error {
	var errs policy.Errors
	if i, why := seccomp.Unknown(p.Seccomp.Deny); i >= 0 {
		errs.Add("/seccomp/deny/"+strconv.Itoa(i), why)
	}
	return errs.Err()
}
