package launcher_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// TestMain makes the test binary a host: the launcher starts it again as the shim.
func TestMain(m *testing.M) {
	reexec.Init()
	os.Exit(testbed.Run(m))
}
