//go:build darwin || linux || windows

package reexec

import (
	"strconv"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// patience is how long Say waits for whoever reads standard error: a launcher that has to end something must not hang on it.
const patience = 100 * time.Millisecond

// Say writes one line of the launcher's to standard error.
func Say(line string) {
	platform.WriteUntil(2, []byte("mcp-sandbox: "+oneLine(line)+"\n"), time.Now().Add(patience))
}

// oneLine keeps a path or argument with line breaks or control characters from forging lines of its own.
func oneLine(s string) string {
	for i := 0; i < len(s); i++ {
		if s[i] < ' ' || s[i] == 0x7f {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}

// Refuse ends a launch for which there is no order: each line of why goes to standard error, all of it to the report's
// descriptor if that is not negative. It returns the exit code.
func Refuse(reportFD int, why []string) int {
	for _, line := range why {
		Say(line)
	}
	report.RefuseEarly(reportFD, strings.Join(why, "\n"))
	return ending.ExitSandbox
}
