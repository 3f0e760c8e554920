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
	// The name server is this process. A server in full asks for 10 s (Go's resolver), and has to see SERVFAIL in that.
	files := map[string]string{"/etc/passwd": passwd(),
		"/etc/resolv.conf": "nameserver " + world.NameServer + "\noptions timeout:3 attempts:2\n"}
	os.Exit(world.Tests(files, func() int { return testbed.Run(m) }))
}
