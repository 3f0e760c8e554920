package launcher

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Machine is what confinement this machine gives, as one trial showed.
type Machine struct {
	OS, Arch string
	Kernel   string // its release; "" if the trial was refused

	// Confinement is the strongest that could be built and proved; policy.None if none could.
	Confinement policy.Confinement
	// Layers is the evidence of the trial; empty if it was refused.
	Layers []order.LayerReport
	// Refused is why a server of level standard cannot start; nil if it can.
	Refused *Error
}

// Probe builds the confinement of level standard around a process of its own, proves it, and takes it down again without
// running any server. It asks no version number and no file what the machine can do: it tries. That takes as long as a
// launch. The error is one of the trial itself, not of what it found.
func Probe(ctx context.Context) (*Machine, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{self}}}
	sb, err := prepare(ctx, p, Target{Path: self, Dir: "/"}, func(o *order.Order) { o.Probe = true })
	if err != nil {
		return nil, err
	}
	defer sb.Close()
	sb.Cmd.Stderr = io.Discard
	if err := sb.Cmd.Start(); err != nil {
		return nil, err
	}
	defer sb.Cmd.Wait()
	m := &Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, Confinement: policy.None}
	report, err := sb.Report(ctx)
	if err == nil {
		m.Kernel, m.Confinement, m.Layers = report.Kernel, policy.Confinement(report.Confinement), report.Layers
		return m, nil
	}
	if errors.As(err, &m.Refused) {
		return m, nil
	}
	return nil, err
}
