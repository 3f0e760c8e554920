package launcher

import (
	"context"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// find makes the trials: the strongest confinement first, and weaker ones only where that was refused.
func find(ctx context.Context, self string) (f *findings, err error) {
	f = &findings{os: runtime.GOOS, arch: runtime.GOARCH, self: self, around: lookAround()}
	if f.kernel, err = platform.Kernel(); err != nil {
		return nil, err
	}
	self, remove, err := forAnybody(self)
	if err != nil {
		return nil, err
	}
	defer remove()
	for _, t := range []struct {
		o      *outcome
		level  policy.Level
		min    policy.Confinement
		unless *outcome
	}{
		{&f.full, policy.Standard, policy.Full, nil},
		{&f.usual, policy.Standard, "", &f.full},
		{&f.shared, policy.LevelNetwork, policy.Full, &f.full},
		{&f.least, policy.Standard, policy.ConfinementLimits, &f.usual},
	} {
		satisfied := f.full.ran() && (t.o != &f.usual || f.procless() == nil)
		if satisfied || t.o != &f.usual && t.unless != nil && t.unless.ran() {
			continue
		}
		p := policy.Policy{Level: t.level, MinConfinement: t.min, Limits: policy.Limits{CPU: 1000}}
		if err := f.try(ctx, t.o, p, self); err != nil {
			return nil, err
		}
	}
	if _, reached := f.reached(); reached != policy.None {
		f.tree = tree(ctx, self, reached)
	}
	return f, nil
}
