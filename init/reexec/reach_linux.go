package reexec

import (
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/shim"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Reach ends this program, as a refused launch, where a file system does not answer at which the program is about to
// look: before it has an order, which is nil then, also at paths in the words of its command line. The launch itself
// makes the same looks first, but for one by [Exec], for which its program has to call Reach. fd opens the report, and
// is called where the report's file answers.
func Reach(o *order.Order, words []string, file string, fd func() int) {
	if err := shim.Reach(o, words); err != nil {
		os.Exit(shim.RefuseReach(err, file, fd, Say))
	}
}
