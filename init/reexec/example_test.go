package reexec_test

import (
	"fmt"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
)

// The first line of a host's main. In a child that the launcher started it never returns.
func ExampleInit() {
	reexec.Init()
	fmt.Println(reexec.Armed())
	// Output: true
}
