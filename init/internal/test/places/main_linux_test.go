package places_test

import (
	"os"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// First arguments of this test binary where it is not the test: whoever lives in a place and tries everything there,
// and the way into one that a filter makes.
const (
	residentArg = "places.test resident"
	sealArg     = "places.test seal"
)

func TestMain(m *testing.M) {
	testbed.Roles{residentArg: reside, sealArg: seal}.Play()
	os.Exit(testbed.Run(m))
}
