package lasting_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	host.Main(testbed.Roles{attackIs: attack})
	os.Exit(testbed.Run(m))
}
