package supervise

import (
	"cmp"
	"errors"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// descend reaches for the strongest confinement that the machine gives: where it refuses a step, everything that was
// started of the attempt is ended, and the next rung is tried with another init. The server has not run.
func (s *shim) descend() (*order.Enforced, error) {
	for s.rung = s.highest(); ; {
		enforced, err := s.attempt()
		if err == nil {
			err = s.procless(enforced)
		}
		if err == nil {
			s.stdio.CloseServerEnds()
			return enforced, nil
		}
		if s.climbs(err) {
			s.abandon()
			s.rung, s.bare, s.refused = policy.Full, true, nil
			continue
		}
		next, refusal := s.below(err)
		if refusal == nil {
			return nil, err
		}
		s.refused = append(s.refused, refusal)
		if next == "" || !next.Holds(s.policy.MinConfinement) {
			return nil, s.allRefused(next)
		}
		s.abandon()
		s.rung = next
	}
}

// highest is the rung to begin with: the top, but where a host found out before that this machine refuses it.
func (s *shim) highest() policy.Confinement {
	if s.policy.Level == policy.Privileged {
		return policy.None
	}
	if b := policy.Confinement(s.Order.Begin); b != "" && b.Holds(s.policy.MinConfinement) {
		return b
	}
	s.Order.Why = ""
	return policy.Full
}

// attempt builds and proves one confinement.
func (s *shim) attempt() (*order.Enforced, error) {
	if err := s.survivable(); err != nil {
		return nil, err
	}
	begin := s.beginFull
	if s.shared() {
		begin = s.beginShared
	}
	if err := begin(); err != nil {
		return nil, err
	}
	if err := s.confine(); err != nil {
		return nil, err
	}
	return s.prove()
}

// shared reports whether the server has the host's namespaces.
func (s *shim) shared() bool { return s.rung != policy.Full }

// beginFull starts a runner whose init waits, and plans the launch while the kernel makes the namespaces. A root launcher
// hands init the grants it opened, so there the runner is started when the plan is made.
func (s *shim) beginFull() error {
	if !s.machine.Root {
		if err := s.start(nil); err != nil {
			return err
		}
	}
	if err := s.plan(); err != nil {
		return err
	}
	if !s.machine.Root {
		return nil
	}
	trees, err := s.openTrees()
	defer closeAll(trees)
	if err != nil {
		return err
	}
	return s.start(trees)
}

// beginShared makes what takes the place of namespaces and root before there is an init to use it.
func (s *shim) beginShared() error {
	err := s.ownIDs()
	if err == nil && s.rung != policy.None {
		err = s.openPrivate()
	}
	if err == nil {
		err = s.plan()
	}
	if err == nil {
		err = s.adoptOrphans()
	}
	if err != nil {
		return err
	}
	if err = s.start([]int{s.image}); err != nil {
		return err
	}
	return s.adopt()
}

// below is the next rung, and the refusal if it is the machine's: a policy's is never answered by less confinement.
func (s *shim) below(err error) (next policy.Confinement, r *order.Refusal) {
	if !errors.As(err, &r) || !diagnose.OfMachine(r) {
		return "", nil
	}
	switch s.rung {
	case policy.Full:
		return policy.Reduced, r
	case policy.Reduced:
		return policy.ConfinementLimits, r
	case policy.ConfinementLimits:
		if r.Layer == order.Seccomp && !s.noFilter {
			s.noFilter = true
			return policy.ConfinementLimits, r
		}
		return policy.None, r
	}
	return "", r
}

// why tells in one line why the stronger confinements were not reached.
func (s *shim) why() string {
	var all []string
	for _, r := range s.refused {
		if text := r.Error(); len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text)
		}
	}
	if len(all) == 0 {
		return s.Order.Why
	}
	return strings.Join(all, "; ")
}

// hints are what to do about what was refused, each once.
func (s *shim) hints() string {
	if len(s.refused) == 0 {
		return ""
	}
	return diagnose.Hints(s.refused, diagnose.Here())
}

// tellLowered tells the host what its next launches need not try again. Nothing depends on its hearing it.
func (s *shim) tellLowered() {
	if s.Host < 0 || len(s.refused) == 0 {
		return
	}
	facts := diagnose.Here()
	for _, r := range s.refused {
		if !diagnose.Lasting(r, facts) {
			return
		}
	}
	s.sink.Tell(&order.Lowered{Event: "lowered", Confinement: string(s.rung), Why: s.why()})
}

// lowered is the one line about a confinement that is weaker than the machine was asked for: what refused it, and how it is
// had back.
func (s *shim) lowered() string {
	why := s.why()
	if s.rung == policy.None {
		return order.NothingConfined
	}
	if why == "" {
		return ""
	}
	text := "the confinement is " + string(s.rung) + " and no stronger one: this machine refused " + why
	return text + " (" + cmp.Or(s.hints(), diagnose.AskDoctor) + ")"
}

// reachable is an error if it is known beforehand that this machine cannot give the rung.
func (s *shim) reachable() error {
	if s.rung == policy.Reduced && s.machine.LandlockABI < leastLandlock {
		return &order.Refusal{Layer: order.Landlock, Op: "landlock_create_ruleset", Err: mechanism(cmp.Or(s.machine.NoLandlock, unix.ENOSYS))}
	}
	return nil
}

// mechanism marks an error that no path of the policy can be the cause of.
func mechanism(err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return order.Mechanism{Errno: errno}
	}
	return err
}

// leastLandlock is the first version: with what the filter adds, each is a file barrier.
const leastLandlock = 1

// holds is an error if the policy says of a path what this rung cannot hold, unless the least confinement was written out.
func (s *shim) holds() error {
	if len(s.view.Unheld) == 0 || s.Order.MinWritten {
		return nil
	}
	u := s.view.Unheld[0]
	return &order.Refusal{Layer: order.Policy, Op: u.Key, Path: u.Path,
		Err: unheld{string(s.rung), s.why(), s.hints()}}
}

// unheld is a denial that a confinement cannot hold.
type unheld struct{ confinement, why, hints string }

func (u unheld) Error() string {
	return "cannot be held by confinement " + u.confinement + ", and a stronger one was refused by this machine: " + u.why
}
