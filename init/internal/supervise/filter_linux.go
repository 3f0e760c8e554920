package supervise

import (
	"errors"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/internal/filter"
	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// assemble makes the seccomp program that the policy and this machine ask for.
func (s *shim) assemble() ([]byte, error) {
	o := filter.Options{NoUnix: rows.RefusesUnix(s.view, s.machine.LandlockABI, s.policy.Level == policy.LevelNetwork)}
	if s.policy.Subprocess.Allow == policy.No {
		o.Exec = filter.ExecTraced
	}
	for _, name := range s.policy.Seccomp.Deny {
		nr, ok := filter.Number(name)
		if !ok {
			return nil, errors.New("/seccomp/deny: " + name + ": no such system call")
		}
		o.Deny = append(o.Deny, nr)
	}
	code, err := filter.Program(runtime.GOARCH, o)
	if err != nil {
		return nil, err
	}
	return filter.Append(make([]byte, 0, 8*len(code)), code), nil
}
