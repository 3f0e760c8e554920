package launcher

import (
	"context"
	"os"
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
		if f.full.ran() || t.unless != nil && t.unless.ran() {
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

// forAnybody is the file itself, or a copy of it where a folder above it is closed: a root launcher's servers are another
// user.
func forAnybody(self string) (path string, remove func(), err error) {
	if os.Geteuid() != 0 || openToAll(self) {
		return self, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "mcp-sandbox-probe-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = dir + "/host"
	b, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(path, b, 0o755)
	}
	for _, p := range []string{dir, path} { // whatever the umask is
		if err == nil {
			err = os.Chmod(p, 0o755)
		}
	}
	if err != nil {
		remove()
	}
	return path, remove, err
}
