//go:build !linux

package doctor

import (
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
)

// surroundings are only the name of the system: there is one confinement here, and nothing around it refuses that.
func surroundings() diagnose.Surroundings {
	return diagnose.Surroundings{Facts: diagnose.Facts{OS: runtime.GOOS}}
}
