//go:build !linux

package doctor

import (
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
)

// environment is only the name of the system: there is one confinement here, and nothing around it refuses that.
func environment() diagnose.Environment {
	return diagnose.Environment{Circumstances: diagnose.Circumstances{OS: runtime.GOOS}}
}
