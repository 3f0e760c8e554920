package noshim

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	reexec.Init()
	altered.Main(testbed.Roles{limited: limitedHost, crowd: crowdHost, touched: touchedHost,
		broken: brokenHost, aHost: beHost, noexec: forbidMemfds,
		leaves: leavesHost, long: longHost, answers: answersServer}, nil)
	os.Exit(altered.Tests(m))
}

// ordinary skips a test for root: a root host has a shim.
func ordinary(tb testing.TB) {
	tb.Helper()
	if os.Geteuid() == 0 {
		tb.Skip("a host that is root launches with a shim")
	}
}
