package egress_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == clientIs {
		os.Exit(client(os.Args[2:]))
	}
	testbed.Machines()
	host.Main()
	os.Exit(world.Tests(map[string]string{"/etc/passwd": passwd()}, func() int { return testbed.Run(m) }))
}
