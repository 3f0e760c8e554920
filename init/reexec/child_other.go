//go:build !darwin && !linux && !windows

package reexec

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// child fails: this system has no shim.
func child([]string) int {
	os.Stderr.WriteString("mcp-sandbox: " + errors.ErrUnsupported.Error() + "\n")
	return 125
}

// unprivileged is nil: nothing is ever launched here.
func unprivileged() error { return nil }

// Run fails on this operating system.
func Run(*order.Order) int { return child(nil) }

// Exec fails on this operating system.
func Exec(*order.Order) error { return errors.ErrUnsupported }

// Refuse says why nothing is launched, and returns the exit code.
func Refuse(_ int, why []string) int {
	for _, line := range why {
		Say(line)
	}
	return 125
}

// RefuseKept is Refuse: nothing is kept here.
func RefuseKept(why []string) int { return Refuse(-1, why) }

// Say writes one line of the launcher's to standard error.
func Say(line string) { os.Stderr.WriteString("mcp-sandbox: " + line + "\n") }

// HostEnds is nil: nothing is installed before a launch on this system.
func HostEnds() <-chan struct{} { return nil }
