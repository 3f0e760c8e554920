package why_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A suggested change is one that an answer has for an act.
type suggested struct {
	act
	answer *order.Answer
}

// paths are those of a change that is one grant of the act's own path or its folder; none for what has to be tried
// alone.
func (s suggested) paths() []string {
	if len(s.answer.Patch) != 1 || s.answer.Patch[0].Op != "add" || s.Socket || s.Op == order.OpExec {
		return nil
	}
	at, _ := s.answer.Patch[0].Value.(string)
	real, err := filepath.EvalSymlinks(at)
	if err != nil || s.Path != at && filepath.Dir(s.Path) != at {
		return nil
	}
	return []string{at, real}
}

// touches reports whether one change may help the other's act.
func (s suggested) touches(o suggested) bool {
	a, b := s.paths(), o.paths()
	if a == nil || b == nil || a[0] != a[1] && b[0] != b[1] { // two that lead through links
		return true
	}
	for _, x := range a {
		for _, y := range b {
			if policy.Within(x, y) || policy.Within(y, x) {
				return true
			}
		}
	}
	return false
}

// tryAll launches with the suggested changes, each of which has to allow its act: those that have nothing to do with
// each other in one launch, without the long forms of the suite.
func (c *trial) tryAll(all []suggested) {
	c.Helper()
	for len(all) > 0 {
		var together, rest []suggested
		for _, s := range all {
			if len(together) == 0 || testing.Short() && !slices.ContainsFunc(together, s.touches) {
				together = append(together, s)
			} else {
				rest = append(rest, s)
			}
		}
		all = rest
		problem := c.try(together)
		if problem != "" && len(together) > 1 {
			problem = ""
			for i := range together {
				problem += c.try(together[i : i+1])
			}
		}
		if problem != "" {
			c.Error(problem)
		}
	}
}

func (c *trial) try(all []suggested) (problem string) {
	c.Helper()
	changed := *c
	changed.acts = nil
	for _, s := range all {
		changed.Policy, changed.acts = patched(c, changed.Policy, s.answer.Patch), append(changed.acts, s.act)
	}
	*c.rows += len(all)
	outcomes, refused := changed.launch()
	for i, s := range all {
		if refused != "" || !outcomes[i].reached(s.act) {
			problem += fmt.Sprintf("%s\n%+v: changed to %s\nrefused %q, %+v\n%+v\n", c.Policy, s.act, changed.Policy, refused,
				outcomes, *s.answer)
		}
	}
	return problem
}
