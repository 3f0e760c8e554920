//go:build darwin || windows

package ask

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/internal/limitsonly"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

// An unsupported error is why this system has no answer.
type unsupported string

func (u unsupported) Error() string { return "unsupported here: " + string(u) }

func (unsupported) Unwrap() error { return errors.ErrUnsupported }

// Calls fails: this system has no program of system calls. The report of a launch has everything that is set.
func Calls(*order.Order) ([]string, error) {
	return nil, unsupported("a launch makes no program of system calls; run --report tells what it sets")
}

// Plan is the view and the environment that [reexec.Run] would give the server of an order. Nothing is started.
func Plan(o *order.Order) (*order.Plan, error) { return limitsonly.Plan(o) }

// Why fails: nothing here holds files and names back, so there is nothing to be explained.
func Why(*order.Order, order.Question) (order.Answer, error) {
	return order.Answer{}, unsupported("no policy holds back files or hosts on this system; mcp-sandbox plan tells " +
		"what is limited")
}
