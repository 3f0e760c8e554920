package launcher

import (
	"errors"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// findings are what the trials of a probe came to, and what explains them. To turn them into words needs no machine.
type findings struct {
	os, arch, kernel string
	self             string // the host's own file, which an AppArmor profile names

	full   outcome // of level standard with full confinement demanded
	shared outcome // the same with the host's network: tried only if the first was refused
	usual  outcome // of level standard with the least confinement that is its default
	least  outcome // with minConfinement limits: tried only if the one before was refused
	tree   treeOutcome

	calls  []order.Call
	around surroundings
}

// An outcome is what one trial launch came to: a report, or a refusal, or neither if it was not tried.
type outcome struct {
	report  *Report
	refused *Error
}

func (o *outcome) ran() bool { return o.report != nil }

func (o *outcome) errno() (e syscall.Errno) {
	if o.refused != nil {
		if r := (remote{}); errors.As(o.refused.Err, &r) {
			e = r.errno
		}
	}
	return e
}

// layer is what a trial's report says of one.
func (o *outcome) layer(name order.Layer) *order.LayerReport {
	if o.report != nil {
		for i := range o.report.Layers {
			if o.report.Layers[i].Layer == name {
				return &o.report.Layers[i]
			}
		}
	}
	return &order.LayerReport{Layer: name}
}

// A treeOutcome is what came of a server with a daemon that ran into its time limit.
type treeOutcome struct {
	tried   bool
	problem string // "" if both ended
}

// surroundings are what explains a refusal and chooses its remedy. They prove nothing, and no check rests on them alone.
type surroundings struct {
	sysctls     map[string]string // those that were there
	filtered    bool              // a seccomp filter that somebody else loaded holds for this process
	chrooted    bool
	strangeProc bool // /proc shows the processes of another pid namespace
	root        bool
	admin       bool   // it has CAP_SYS_ADMIN
	wsl         int    // 1, 2, or 0
	systemd     bool   // it is process 1
	cgroups     string // "v2", "v1", or "" where nothing is mounted
	lsm         string // the list of active security modules; "" if it cannot be read
}

// reached is the best that a trial proved, and the trial.
func (f *findings) reached() (*outcome, policy.Confinement) {
	for _, o := range []*outcome{&f.full, &f.usual, &f.least} {
		if o.ran() && (o != &f.full || f.procless() == nil || !f.usual.ran()) {
			return o, policy.Confinement(o.report.Confinement)
		}
	}
	return &f.usual, policy.None
}

// procless is the fact that full has no /proc of its own, or nil: then level standard prefers reduced.
func (f *findings) procless() *order.Fact {
	if fresh := fact(f.full.layer(order.Root), "fresh /proc"); fresh != nil && fresh.Got == "" {
		return fresh
	}
	return nil
}

// machine turns the findings into what a host and a person read.
func (f *findings) machine() *Machine {
	best, reached := f.reached()
	m := &Machine{OS: f.os, Arch: f.arch, Kernel: f.kernel, Confinement: reached, Checks: f.checks()}
	if best.ran() {
		m.Layers = best.report.Layers
	}
	if !f.full.ran() && !f.usual.ran() {
		m.Refused = f.usual.refused
	}
	return m
}

// call is what a single call came to: its error, or "" if it succeeded; known is false if it was not tried.
func (f *findings) call(name string) (problem string, known bool) {
	for _, c := range f.calls {
		if c.Name == name {
			return c.Error, true
		}
	}
	return "", false
}
