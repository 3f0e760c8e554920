package doctor

import (
	"context"
	"runtime"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Launcher makes the trial launches.
type Launcher interface {
	// Prove builds and proves the confinement of a policy, and releases no server. The error is of the trial itself.
	Prove(ctx context.Context, p policy.Policy) (Trial, error)
	// Daemon lets a server that has started a daemon run into a time limit. The problem is "" if both ended; tooShort
	// tells that the server had no time to start its daemon.
	Daemon(ctx context.Context, least policy.Confinement, limit time.Duration) (tooShort bool, problem string)
}

// A Trial is the outcome of one trial launch: a report, or a refusal, or neither if it was not made.
type Trial struct {
	Report  *order.Enforced
	Refused *order.Refusal
	Calls   []order.Call // single calls that the shim made besides
}

func (t *Trial) ran() bool { return t.Report != nil }

// layer returns the trial's report of one layer, which is empty without a launch.
func (t *Trial) layer(name order.Layer) *order.LayerReport {
	if t.ran() {
		return t.Report.Layer(name)
	}
	return &order.LayerReport{Layer: name}
}

// why is a refusal in one line.
func (t *Trial) why() string {
	if t.Refused == nil {
		return "it was not tried"
	}
	return t.Refused.Error()
}

// A result has the outcomes of all trials, and their circumstances. The checks are functions of it and need no machine.
type result struct {
	arch        string
	full        Trial // of level standard with full confinement demanded
	shared      Trial // the same with the host's network: made only if the first was refused
	usual       Trial // of level standard with the least confinement that is its default
	named       Trial // of the usual one with a host by name: made only where full is refused, or has no /proc
	least       Trial // with minConfinement limits: made only if the one before was refused
	tree        treeTrial
	environment diagnose.Environment
}

// A treeTrial is the outcome of a server with a daemon that ran into its time limit.
type treeTrial struct {
	tried   bool
	problem string // "" if both ended
}

// A Machine is the confinement that this machine gives, as trials showed. As JSON it is the output of "mcp-sandbox
// doctor --json".
type Machine struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	Kernel string `json:"kernel"` // its release

	// Confinement is the confinement of a server of level standard; where none may start, the most that could be built
	// and proved for one that asks for less; policy.None if nothing could.
	Confinement policy.Confinement `json:"confinement"`
	// Checks are the single things, in the order in which a person should read them.
	Checks []Check `json:"checks"`

	// Layers is the evidence behind Confinement; empty if there is none.
	Layers []order.LayerReport `json:"-"`
	// Refused is why a server of level standard cannot start; nil if it can.
	Refused *order.Refusal `json:"-"`
}

// Examine makes the trials, the strongest confinement first, and weaker ones only where that was refused. self is the
// file of this program. The error is one of the trials themselves.
func Examine(ctx context.Context, self string, l Launcher) (*Machine, error) {
	r := &result{arch: runtime.GOARCH, environment: environment()}
	r.environment.Self = self
	if err := r.prove(ctx, l); err != nil {
		return nil, err
	}
	best, reached := r.reached()
	if r.environment.Kernel == "" && best.ran() {
		r.environment.Kernel = best.Report.Kernel
	}
	if reached != policy.None {
		r.tree = killTree(ctx, l, reached)
	}
	return r.machine(), nil
}

// prove makes the trials of confinements. Only Linux has more than one.
func (r *result) prove(ctx context.Context, l Launcher) (err error) {
	tryPolicy := func(t *Trial, p policy.Policy) {
		if err != nil {
			return
		}
		p.Limits.CPU = 1000
		if *t, err = l.Prove(ctx, p); t.Calls != nil {
			r.environment.Calls = t.Calls
		}
	}
	try := func(t *Trial, level policy.Level, least policy.Confinement) {
		tryPolicy(t, policy.Policy{Level: level, MinConfinement: least})
	}
	linux := r.environment.OS == "linux"
	if linux {
		try(&r.full, policy.Standard, policy.Full)
	}
	if !r.full.ran() || r.procless() != nil {
		try(&r.usual, policy.Standard, "")
	}
	if linux && !r.full.ran() {
		try(&r.shared, policy.LevelNetwork, policy.Full)
	}
	if linux && r.usual.ran() {
		tryPolicy(&r.named, policy.Policy{Level: policy.Standard,
			Network: policy.Network{AllowedDomains: []string{anyHost}}})
	}
	if linux && !r.full.ran() && !r.usual.ran() {
		try(&r.least, policy.Standard, policy.ConfinementLimits)
	}
	return err
}

// anyHost is a host that a trial opens by name. Nothing is looked up, and no packet leaves this machine.
const anyHost = "host.example"

// killTree tries the end of a server and its daemon: with a short limit for people, and with a long one for slow
// machines.
func killTree(ctx context.Context, l Launcher, least policy.Confinement) treeTrial {
	tooShort, problem := l.Daemon(ctx, least, 300*time.Millisecond)
	if tooShort {
		_, problem = l.Daemon(ctx, least, 5*time.Second)
	}
	return treeTrial{true, problem}
}

// reached is the best that a trial proved, and the trial.
func (r *result) reached() (*Trial, policy.Confinement) {
	for _, t := range []*Trial{&r.full, &r.usual, &r.least} {
		if t.ran() && (t != &r.full || r.procless() == nil || !r.usual.ran()) {
			return t, policy.Confinement(t.Report.Confinement)
		}
	}
	return &r.usual, policy.None
}

// procless is the fact that full has no /proc of its own, or nil: then level standard prefers reduced.
func (r *result) procless() *order.Fact {
	if fresh := fact(r.full.layer(order.Root), "fresh /proc"); fresh != nil && fresh.Got == "" {
		return fresh
	}
	return nil
}

// machine turns the result into the report for a host and a person.
func (r *result) machine() *Machine {
	best, reached := r.reached()
	m := &Machine{OS: r.environment.OS, Arch: r.arch, Kernel: r.environment.Kernel,
		Confinement: reached, Checks: r.checks()}
	if best.ran() {
		m.Layers = best.Report.Layers
	}
	if !r.full.ran() && !r.usual.ran() {
		m.Refused = r.usual.Refused
	}
	return m
}
