//go:build !darwin && !linux && !windows

package launcher

import (
	"context"
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// command fails: this operating system has no shim.
func command(context.Context, *order.Order) (*Sandbox, error) {
	return nil, &Error{Layer: order.Exec, Op: "start", Err: errors.ErrUnsupported}
}
