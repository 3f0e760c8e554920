//go:build darwin || linux || windows

package reexec

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/report"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// sayTimeout is how long Say waits for the reader of standard error, on which the end of a server must not hang.
const sayTimeout = 100 * time.Millisecond

// Say writes one line of the launcher's to standard error, printable. A line that is too wide becomes several, and each
// begins with the program's name.
func Say(line string) { sayTo(2, line) }

func sayTo(fd int, line string) {
	var text []byte
	for _, l := range notice.Fit(line) {
		text = append(text, "mcp-sandbox: "+l+"\n"...)
	}
	platform.WriteUntil(fd, text, time.Now().Add(sayTimeout))
}

// Refuse ends a launch for which there is no order, and returns the exit code. Each line of why goes to standard error,
// and all of them to the report's descriptor if that is not negative.
func Refuse(reportFD int, why []string) int { return refuse(reportFD, false, why) }

// RefuseKept is Refuse for a launch with a kept report: mcp-sandbox why shows the refusal. The folder must be there.
func RefuseKept(why []string) int { return refuse(-1, true, why) }

func refuse(reportFD int, keep bool, why []string) int {
	for _, line := range why {
		Say(line)
	}
	report.RefuseEarly(reportFD, keep, strings.Join(why, "\n"))
	return ending.ExitSandbox
}
