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
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case residentArg:
			os.Exit(reside(os.Args[2:]))
		case sealArg:
			println(seal(os.Args[2], os.Args[3:]).Error())
			os.Exit(70)
		}
	}
	os.Exit(testbed.Run(m))
}
