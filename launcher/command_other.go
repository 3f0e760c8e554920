//go:build !linux

package launcher

import (
	"context"
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// command fails: this operating system has no shim yet.
func command(context.Context, *order.Order) (*Sandbox, error) {
	return nil, &Error{Layer: order.Exec, Op: "start", Err: errors.ErrUnsupported}
}

func terminate(p *os.Process) error { return p.Kill() }
