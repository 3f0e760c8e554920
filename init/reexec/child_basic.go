//go:build darwin || windows

package reexec

import (
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/limitsonly"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/ending"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// orderTimeout is how long the order may take to come.
const orderTimeout = 5 * time.Second

// child is the shim, or one of the processes that a shim starts.
func child(args []string) int {
	if len(args) > 0 && limitsonly.IsHelper(args[0]) {
		return limitsonly.Helper(args)
	}
	o, host, watch, err := accept(args)
	if err != nil {
		Say("not started by a launcher: " + err.Error())
		return ending.ExitSandbox
	}
	return limitsonly.Run(limitsonly.Config{Order: o, Host: host, Watch: watch, Say: Say})
}

// Run makes this process the shim of an order, as mcp-sandbox-init does, and returns its exit code.
func Run(o *order.Order) int {
	RefusePrivileged()
	return limitsonly.Run(limitsonly.Config{Order: o, Host: -1, Say: Say})
}

// Exec makes this process the shim of an order. Exec returns only on failure.
func Exec(o *order.Order) error {
	if !armed {
		return ErrNotArmed
	}
	os.Exit(Run(o))
	return nil
}

// HostEnds is nil: nothing is installed before a launch on this system.
func HostEnds() <-chan struct{} { return nil }
