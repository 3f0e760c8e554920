package doctor

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// trials is a machine that gives no more than one confinement, and takes a while to start a daemon.
type trials struct {
	gives policy.Confinement
	err   error
	made  []string
}

func (t *trials) Prove(_ context.Context, p policy.Policy) (Trial, error) {
	words := append([]string{string(p.Level), string(p.MinConfinement)}, p.Network.AllowedDomains...)
	t.made = append(t.made, strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " "))
	if t.err != nil || !t.gives.Holds(p.MinConfinement) || p.MinConfinement == "" && !t.gives.Holds(policy.Reduced) {
		return refusal(order.Namespaces, "clone", "", syscall.EPERM), t.err
	}
	return Trial{Report: proof(t.gives, 7), Calls: all("")}, nil
}

func (t *trials) Daemon(_ context.Context, _ policy.Confinement, limit time.Duration) (bool, string) {
	if limit < time.Second {
		return true, "the server had no time to start a daemon"
	}
	return false, ""
}

// Weaker confinements are tried only where stronger ones were refused.
func TestExamine(t *testing.T) {
	for gives, made := range map[policy.Confinement][]string{
		policy.Full:              {"standard full"},
		policy.Reduced:           {"standard full", "standard", "network full", "standard host.example"},
		policy.ConfinementLimits: {"standard full", "standard", "network full", "standard limits"},
		policy.None:              {"standard full", "standard", "network full", "standard limits"},
	} {
		fake := &trials{gives: gives}
		m, err := Examine(t.Context(), "/opt/host", fake)
		if err != nil {
			t.Fatal(err)
		}
		if runtime.GOOS == "linux" && !slices.Equal(fake.made, made) {
			t.Errorf("%s: %q", gives, fake.made)
		}
		if runtime.GOOS == "linux" && m.Confinement != gives || m.OS != runtime.GOOS || len(m.Checks) != map[bool]int{true: 9, false: 8}[runtime.GOOS == "linux"] {
			t.Errorf("%s: %+v", gives, m)
		}
		for _, c := range m.Checks {
			if c.Name == "Timeout and whole-tree kill" && (c.State == Works) != (m.Confinement != policy.None) {
				t.Errorf("%s: %+v", gives, c)
			}
		}
	}
	broken := &trials{err: errors.New("no such process")}
	if _, err := Examine(t.Context(), "/opt/host", broken); err == nil || len(broken.made) != 1 {
		t.Errorf("%v after %q", err, broken.made)
	}
}
