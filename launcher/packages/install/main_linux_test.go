package install

import (
	"flag"
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
)

// hosts are names of the world's machine.
const hosts = `127.0.0.1 localhost
::1 localhost
10.99.0.7 registry.corp.example
127.0.0.1 loop.example
198.51.100.9 silent.example
203.0.113.9 elsewhere.example
`

// TestMain makes the test binary a host, in a network of its own.
func TestMain(m *testing.M) {
	testbed.Machines()
	reexec.Init()
	flag.Parse()
	if testing.Short() {
		remember()
		compiled()
	}
	testbed.Waiting()
	os.Exit(world.Tests(map[string]string{"/etc/hosts": hosts}, func() int { return testbed.Run(m) }))
}
