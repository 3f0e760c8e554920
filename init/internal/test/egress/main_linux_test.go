package egress_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

func TestMain(m *testing.M) {
	testbed.Roles{clientIs: client, listened: listen}.Play() // before what a launcher needs
	testbed.Machines()
	host.Main(nil)
	testbed.Waiting()
	os.Exit(world.Tests(map[string]string{"/etc/passwd": passwd()}, func() int { return testbed.Run(m) }))
}
