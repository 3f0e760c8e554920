package reexec

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Hosted is a launch without a shim.
type Hosted = shim.Hosted

// LaunchVariable is a variable of the host that with the value [ByShim] has each launch made by a shim, to tell whether
// a fault is the other way's.
const (
	LaunchVariable = "MCP_SANDBOX_LAUNCH"
	ByShim         = "shim"
)

// Host makes a launch that this process supervises itself; nil where that needs a shim, as far as is known now. The
// program is the one that becomes the shim; "" is this one.
func Host(o *order.Order, p *policy.Policy, program string) (*Hosted, error) {
	if os.Getenv(LaunchVariable) == ByShim {
		return nil, nil
	}
	return shim.Host(shim.HostedConfig{Order: o, Policy: p, Say: sayTo, Program: program,
		Shim: func(error) (argv, env []string, err error) { return []string{Name, ByHost}, ChildEnv(), nil }})
}
