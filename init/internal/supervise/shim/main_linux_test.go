package shim_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

func TestMain(m *testing.M) {
	altered.Main(testbed.Roles{parentName: reapChild, attemptFlag: try, levelFlag: tryLevel, actFlag: actAll,
		domainsFlag: tryDomains, floodFlag: flood}, nil)
	os.Exit(altered.Tests(m))
}

// A launch is what a test tells its shim, and an outcome all that it left behind.
type (
	launch  = altered.Launch
	outcome = altered.Outcome
)

// A stage is what the policies of launches name.
type stage struct{ altered.Stage }

func build(tb testing.TB, below string) stage { return stage{altered.Build(tb, below)} }
