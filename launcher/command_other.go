//go:build !darwin && !linux && !windows

package launcher

import (
	"context"
	"errors"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// command fails: this operating system has no shim.
func command(context.Context, *order.Order, *policy.Policy, string) (*Sandbox, error) {
	return nil, &Error{Layer: order.Exec, Op: "start", Err: errors.ErrUnsupported}
}
