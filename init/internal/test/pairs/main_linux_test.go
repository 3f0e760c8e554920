package pairs_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Roles of this test binary.
const (
	serverIs = "-pairs-server" // makes the attacks that the test asks for, one by one
	helperIs = "-pairs-helper" // a process of the server's
)

func TestMain(m *testing.M) {
	testbed.Machines()
	testbed.Roles{serverIs: serve, helperIs: help}.Play() // before a launcher's preparations
	host.Main(nil)
	os.Exit(testbed.Run(m))
}
