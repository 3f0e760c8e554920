package conformance_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// The ports that the suite's own servers get here. A list may have 128.
const firstPort, lastPort = 60000, 60119

func TestMain(m *testing.M) {
	host.Main(nil)
	ports := map[string]string{"/proc/sys/net/ipv4/ip_local_port_range": fmt.Sprintf("%d %d", firstPort, lastPort)}
	os.Exit(world.Tests(ports, func() int { return testbed.Run(m) }))
}
