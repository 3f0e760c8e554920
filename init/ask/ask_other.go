//go:build !darwin && !linux && !windows

package ask

import (
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Calls fails on this operating system.
func Calls(*order.Order) ([]string, error) { return nil, errors.ErrUnsupported }

// Plan fails on this operating system.
func Plan(*order.Order) (*order.Plan, error) { return nil, errors.ErrUnsupported }

// Why fails on this operating system.
func Why(*order.Order, order.Question) (order.Answer, error) {
	return order.Answer{}, errors.ErrUnsupported
}
