//go:build darwin || linux || windows

package reexec

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// sayTimeout is how long Say waits for the reader of standard error, on which the end of a server must not hang.
const sayTimeout = 100 * time.Millisecond

// Say writes one line of the launcher's to standard error, printable and no wider than a line may be.
func Say(line string) {
	platform.WriteUntil(2, []byte("mcp-sandbox: "+notice.Fit(line)+"\n"), time.Now().Add(sayTimeout))
}

// Refuse ends a launch for which there is no order, and returns the exit code. Each line of why goes to standard error,
// and all of them to the report's descriptor if that is not negative.
func Refuse(reportFD int, why []string) int {
	for _, line := range why {
		Say(line)
	}
	report.RefuseEarly(reportFD, strings.Join(why, "\n"))
	return ending.ExitSandbox
}
