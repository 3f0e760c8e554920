package launchflags

import "github.com/security-mcp/mcp-sandbox/policy"

// Weaken refuses a policy file that switches the confinement off by itself: files come with projects, and a server or a
// pull request could have written them. A flag has to say the same. A policy from a descriptor is the host's own.
func (s Source) Weaken(p policy.Policy, level, minConfinement string) error {
	var errs policy.Errors
	if s.File == "" {
		return nil
	}
	if p.Level == policy.Privileged && level == "" {
		errs.Add("/level", `"privileged" in a file counts only with --level privileged beside it`)
	}
	// Level privileged, named by a flag, confines nothing anyway.
	if p.MinConfinement == policy.None && minConfinement == "" && level != string(policy.Privileged) {
		errs.Add("/minConfinement", `"none" in a file counts only with --min-confinement none beside it`)
	}
	return errs.Err()
}
