//go:build !linux

package launcher

import (
	"context"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/policy"
)

// find makes the trials. There is one confinement here, and a system without a shim refuses to try it.
func find(ctx context.Context, self string) (*findings, error) {
	f := &findings{os: runtime.GOOS, arch: runtime.GOARCH, self: self}
	self, remove, err := forAnybody(self)
	if err != nil {
		return nil, err
	}
	defer remove()
	if err = f.try(ctx, &f.usual, policy.Policy{Limits: policy.Limits{CPU: 1000}}, self); err != nil {
		return nil, err
	}
	if f.usual.ran() {
		f.kernel = f.usual.report.Kernel
		f.tree = tree(ctx, self, policy.ConfinementLimits)
	}
	return f, nil
}
