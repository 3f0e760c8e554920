package limitsonly

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// looks waits until the shim has read the table of processes once from its beginning to its end, behind what is left of an
// earlier look: it reads a file for each of them, by two calls.
func (r *run) looks(t *testing.T) {
	t.Helper()
	reads := func() (n int) {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", r.cmd.Process.Pid))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(b), "syscr: ")
		fmt.Sscan(rest, &n)
		return n
	}
	before := reads()
	testbed.Await(t, "a look of the shim at all processes", func() bool {
		all, err := filepath.Glob("/proc/[0-9]*")
		return err == nil && reads()-before > 5*len(all)
	})
}
