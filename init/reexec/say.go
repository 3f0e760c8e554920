//go:build darwin || linux || windows

package reexec

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// patience is how long Say waits for whoever reads standard error: a launcher that has to end something must
// not hang on it.
const patience = 100 * time.Millisecond

// Say writes one line of the launcher's to standard error, whatever the names are made of that stand in it.
func Say(line string) {
	platform.WriteUntil(2, []byte("mcp-sandbox: "+strictjson.Printable(line)+"\n"), time.Now().Add(patience))
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
