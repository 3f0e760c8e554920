package shim

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/answers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/ladder"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/launch"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/privdir"
	"github.com/security-mcp/mcp-sandbox/init/internal/supervise/signals"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// reportEnforced writes the first line of the report. No server is released without it.
func (s *shim) reportEnforced() error {
	sandbox := s.monitor.sandbox
	e := order.NewEnforced(s.Order, &s.policy, sandbox.Confinement)
	e.PID, e.Kernel, e.LandlockABI = sandbox.Server, sandbox.Machine.Kernel, sandbox.Machine.LandlockABI
	e.Layers = sandbox.Layers
	notes := sandbox.View.Notes
	e.ImpliedGrants, e.Warnings = notes.Implied, append(e.Warnings, notes.Warnings...)
	e.Protected, e.Unprotected = notes.Protected, notes.Unprotected
	if text := loweredWarning(&s.launch.Ladder); text != "" {
		e.Warnings = append([]string{text}, e.Warnings...)
	}
	s.guide = guide{order: s.Order, policy: &s.policy, launch: s.launch, sandbox: sandbox,
		offers: &offers{s.Order, &s.policy, sandbox, launch.TakeFiles(sandbox)}}
	e.Notices = s.guide.notices()
	s.guide.offers = nil // the plan has much memory
	s.network.note(e, s.Order, sandbox)
	if err := s.network.publish.note(sandbox, e); err != nil {
		return err
	}
	s.monitor.publish = s.network.publish.Publisher
	s.enforced = e
	s.notifyLowered()
	return s.sink.First(e)
}

// hints are the remedies for the stronger confinements that were refused.
func hints(refused []*order.Refusal) string { return diagnose.Hints(refused, diagnose.Here()) }

// notifyLowered notifies the host of confinements that its next launches can skip. Nothing depends on its hearing it.
func (s *shim) notifyLowered() {
	ladder := &s.launch.Ladder
	if s.Host < 0 || len(ladder.Refused) == 0 {
		return
	}
	circumstances := diagnose.Here()
	if slices.ContainsFunc(ladder.Refused, func(r *order.Refusal) bool { return !diagnose.Lasting(r, circumstances) }) {
		return
	}
	s.sink.NotifyHost(&order.Lowered{Event: "lowered", Confinement: string(ladder.Confinement), Why: ladder.Why()})
}

// loweredWarning is the one line about a weaker confinement than was asked for: the refused step, and the remedy.
func loweredWarning(ladder *ladder.Ladder) string {
	why := ladder.Why()
	if ladder.Confinement == policy.None {
		return notice.NothingConfined
	}
	if why == "" {
		return ""
	}
	text := "the confinement is " + string(ladder.Confinement) + " and no stronger one: this machine refused " + why
	return text + " (" + cmp.Or(hints(ladder.Refused), diagnose.AskDoctor) + ")"
}

// refuse reports why no server was started, and returns the exit code.
func (s *shim) refuse(err error) int {
	if sandbox := s.monitor.sandbox; sandbox != nil {
		sandbox.Close()
	}
	r := refused(s.Order, err)
	line, code := s.sink.Refuse(s.Order, err, r)
	s.Say(line)
	keep(s.Order, s.sink.KeepOnly, r)
	return code
}

// keepAfter is how long the work waits that is not urgent, as keeping the report: a server that starts needs the
// processor, and one that ends soon spares the work.
const keepAfter = 50 * time.Millisecond

// keep makes the report that mcp-sandbox why reads, once: soon after the release, at the first refusal, or at the end,
// whichever comes first. The server runs by now, or never will: the server inherits neither the descriptor nor how
// SIGXFSZ is handled, with which a file limit would end the shim.
func keep(o *order.Order, how func(order.Line), first order.Line) {
	if o.Keep {
		o.Keep = false
		signals.Ignore(unix.SIGXFSZ)
		how(first)
	}
}

// offered is the remedy for a path that no grant shows.
func offered(o *fsview.Offered, path string) string {
	_, missing := os.Stat(path)
	switch {
	case o.No == nil && errors.Is(o, fsview.ErrLink):
		return diagnose.GrantTarget(o.Offer.Flag, o.Offer.Path)
	case o.No == nil:
		return diagnose.Grant(o.Offer.Flag, o.Offer.Path)
	case missing != nil:
		return diagnose.MakeFirst
	}
	return diagnose.NoGrant(o.No)
}

// refused is the record of a launch that failed, with the remedy.
func refused(o *order.Order, err error) *order.Refused {
	r := order.NewRefused(err)
	r.Hint = diagnose.Hint(err, diagnose.Here())
	if all := (ladder.AllRefused{}); errors.As(err, &all) {
		r.Hint = hints(all.Refused)
		if all.Next != "" && !o.Probe { // which makes its trial of the next anyway
			r.Hint = diagnose.LessConfinement(r.Hint, string(all.Next))
		}
	}
	if u := (ladder.Unheld{}); errors.As(err, &u) {
		r.Hint = diagnose.NotHeld(hints(u.Refused), string(u.Confinement))
		switch r.Op {
		case ladder.AllowedDomains:
			r.Hint = diagnose.DomainsNotHeld(hints(u.Refused), string(u.Confinement))
		case ladder.Publish:
			r.Hint = diagnose.PublishNotHeld(hints(u.Refused), string(u.Confinement))
		}
	}
	if n := (*privdir.NoBase)(nil); errors.As(err, &n) {
		r.Hint = diagnose.PrivateFolder(n.UID)
	}
	if errors.Is(err, fsview.ErrNotFound) {
		r.Hint = diagnose.NotFound(o.Command[0], r.Path, platform.UserHome(os.Getenv("HOME")))
	}
	if errors.Is(err, fsview.ErrNotExecutable) {
		r.Hint = diagnose.NotExecutable(r.Path, err)
	}
	if o := (*fsview.Offered)(nil); errors.As(err, &o) {
		r.Hint = offered(o, r.Path)
	}
	if n := (*answers.NoAnswer)(nil); errors.As(err, &n) {
		r.Hint = diagnose.Unmount(n.Mount, unix.Geteuid() == 0)
	}
	if r.Op == "cwd" && errors.Is(err, unix.ENOTDIR) {
		r.Hint = diagnose.InFolder(r.Path)
	}
	if errors.Is(err, fsview.ErrStarts) {
		r.Hint = diagnose.StartsOthers
	}
	if errors.Is(err, fsview.ErrDenied) {
		r.Hint = diagnose.OtherIDs
	}
	if o.Guided {
		r.Hint = notice.InFlags(r.Hint)
	}
	return r
}
