package ladder

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

var (
	noNamespaces = &order.Refusal{Layer: order.Namespaces, Op: "clone", Err: syscall.EPERM}
	noLandlock   = &order.Refusal{Layer: order.Landlock, Op: "landlock_create_ruleset", Err: order.Mechanism{Errno: syscall.ENOSYS}}
	noSeccomp    = &order.Refusal{Layer: order.Seccomp, Op: "seccomp", Err: order.Mechanism{Errno: syscall.EINVAL}}
	noProc       = &order.Refusal{Layer: order.Root, Op: "mount", Path: "/proc", Err: diagnose.NoProc{Reason: "masked"}}
	ofPolicy     = &order.Refusal{Layer: order.Policy, Op: "filesystem.denyRead", Err: syscall.EPERM}
)

// Each refusal of the machine leads one step down, as far as the policy goes; the policy's own ends the launch.
func TestLadder(t *testing.T) {
	for _, c := range []struct {
		name    string
		least   policy.Confinement
		refused []error
		want    string // the confinements that are tried
		err     string // a part of the last error; "": there is another confinement
	}{
		{"down to limits", policy.ConfinementLimits, []error{noNamespaces, noLandlock, noSeccomp}, "full reduced limits limits", ""},
		{"as far as the policy goes", policy.Reduced, []error{noNamespaces, noLandlock}, "full reduced", "clone: operation not permitted; and with less confinement landlock"},
		{"full alone", policy.Full, []error{noNamespaces}, "full", "namespaces: clone"},
		{"the policy's", policy.ConfinementLimits, []error{ofPolicy}, "full", "denyRead"},
		{"another error", policy.ConfinementLimits, []error{errors.New("host gone")}, "full", "host gone"},
		{"without seccomp nothing is left", policy.ConfinementLimits, []error{noNamespaces, noLandlock, noSeccomp, noSeccomp}, "full reduced limits limits", "clone"},
		{"without /proc", policy.ConfinementLimits, []error{noProc}, "full reduced", ""},
		{"full is taken again", policy.ConfinementLimits, []error{noProc, ofPolicy}, "full reduced full", ""},
		{"full is taken again once", policy.ConfinementLimits, []error{noProc, noLandlock, noNamespaces}, "full reduced full reduced", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := New(&order.Order{}, &policy.Policy{MinConfinement: c.least})
			tried, err := []string{string(l.Confinement)}, error(nil)
			for _, refused := range c.refused {
				if err = l.Next(refused); err == nil {
					tried = append(tried, string(l.Confinement))
				}
			}
			if got := strings.Join(tried, " "); got != c.want {
				t.Errorf("tried %s, want %s", got, c.want)
			}
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("%v, want %q", err, c.err)
			}
		})
	}
}

// A host's word about its machine is taken where the policy allows that confinement, and is the reason then.
func TestLadderBegins(t *testing.T) {
	for _, c := range []struct {
		begin       string
		least, want policy.Confinement
		level       policy.Level
		why         string
	}{
		{"", policy.Reduced, policy.Full, policy.Standard, ""},
		{"reduced", policy.Reduced, policy.Reduced, policy.Standard, "known"},
		{"reduced", policy.Full, policy.Full, policy.Standard, ""},
		{"reduced", policy.None, policy.None, policy.Privileged, "known"},
	} {
		o := &order.Order{Beginning: order.Beginning{Begin: c.begin}}
		if c.begin != "" {
			o.Why = "known"
		}
		l := New(o, &policy.Policy{Level: c.level, MinConfinement: c.least})
		if l.Confinement != c.want || l.Why() != c.why {
			t.Errorf("%+v: %s, %q", c, l.Confinement, l.Why())
		}
	}
}

// Full without a /proc of its own is accepted where the policy asks for full, or where nothing below it holds.
func TestLadderAccepts(t *testing.T) {
	bare := []order.LayerReport{{Facts: []order.Fact{{Name: "fresh /proc", Reason: "masked"}}}}
	l := New(&order.Order{}, &policy.Policy{MinConfinement: policy.Reduced})
	err := l.Accept(bare)
	if !errors.As(err, new(diagnose.NoProc)) || l.Accept(nil) != nil {
		t.Fatal(err)
	}
	for _, refused := range []error{err, noLandlock} {
		if err := l.Next(refused); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Accept(bare); err != nil || l.Confinement != policy.Full || l.Why() != "" {
		t.Errorf("%v, %s, %q", err, l.Confinement, l.Why())
	}
	l = New(&order.Order{}, &policy.Policy{MinConfinement: policy.Full})
	if err := l.Accept(bare); err != nil {
		t.Error(err)
	}
}
