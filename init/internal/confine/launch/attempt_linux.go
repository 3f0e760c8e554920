package launch

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/cgroup"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// An Attempt builds and proves one confinement.
type Attempt struct {
	Sandbox
	early early
}

func (l *Launch) newAttempt() *Attempt {
	return &Attempt{Sandbox: Sandbox{launch: l, Confinement: l.Ladder.Confinement, Machine: l.Machine,
		Init: Init{PID: -1, FD: -1}, Pipes: Pipes{-1, -1, -1, false}, Listener: notify.New(seccomp.Name, l.Denied),
		kept: kept{starter: starterOf(l), image: -1, mounts: -1, room: -1}}}
}

// Run plans, starts and proves.
func (a *Attempt) Run() error {
	start := a.startFull
	if a.Shared() {
		start = a.startShared
	}
	for _, step := range [...]func() error{a.checkDeadly, start, a.complete, a.resume, a.awaitReady, a.prove} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// startFull starts a runner with an init that waits, and plans while the kernel makes the namespaces and init makes the
// calls that need no plan. A root launcher hands init the grants that it opened, so there the plan comes first.
func (a *Attempt) startFull() error {
	if !a.Machine.Root {
		if err := a.start(nil); err != nil {
			return err
		}
		if err := lookAround(a); err != nil {
			return err
		}
		begin(a)
		return a.plan(cgroup.Make)
	}
	if err := lookAndPlan(a, cgroup.Make); err != nil {
		return err
	}
	trees, err := openTrees(a.View)
	defer closeAll(trees)
	if err != nil {
		return err
	}
	return a.start(trees)
}

// startShared makes the substitutes for namespaces and root, before init.
func (a *Attempt) startShared() error {
	err := identifyShared(&a.Machine, a.Confinement)
	if err == nil {
		err = a.checkLasting()
	}
	if err == nil {
		a.kept.private, err = makePrivate(&a.Machine, a.Confinement)
	}
	if err == nil {
		err = lookAndPlan(a, cgroup.Make)
	}
	if err == nil {
		err = copyCertificates(a)
	}
	if err == nil {
		err = servePairs(a)
	}
	if err == nil {
		a.kept.image, err = a.launch.replaceReaper(a.Confinement, a.Machine.UID)
	}
	if err == nil {
		err = a.start([]int{a.kept.image})
	}
	if err == nil {
		err = a.adoptInit()
	}
	return err
}

// replaceReaper provides for the ends of init and of this process, as a pid namespace does: whichever is left ends the
// rest. Init executes the image.
func (l *Launch) replaceReaper(c policy.Confinement, user int) (image int, err error) {
	if l.Process == nil || len(l.Reaper) == 0 {
		return -1, &order.Refusal{Layer: order.Exec, Op: "supervise", Err: unix.ENOSYS}
	}
	if err = l.Process.AdoptOrphans(c); err != nil {
		return -1, err
	}
	return openImage(user)
}

// A starter has a process clone init, by the beginning of the program. It gets more descriptors besides its own.
type starter interface {
	start(a *Attempt, more []int) error
	adopt(a *Attempt) error                                // waits until the clone has returned
	reap(s *Sandbox) (unix.WaitStatus, unix.Rusage, error) // 0 is the status where a parent tells of the end
	end(a *Attempt)                                        // of a launch that is given up
}

func starterOf(l *Launch) starter {
	if l.Host.Parent != nil {
		return l.Host.Parent
	}
	return new(runner)
}

func (a *Attempt) start(more []int) error { return a.kept.starter.start(a, more) }

// begin has init make the first calls, as soon as it is there.
func begin(a *Attempt) {
	if !a.Program.Begin(requestOf(&a.Sandbox)) {
		return
	}
	if hook := a.launch.Hooks.Program; hook != nil {
		hook(a.Program, false)
	}
	// If the clone failed, or fails, the pipe has no reader: the next byte shows that.
	a.Pipes.resume()
}

// resume resumes init, which waits for the rest of its program. If init is gone by then, the call that failed is the
// reason for whatever fails here.
func (a *Attempt) resume() error {
	if hook := a.launch.Hooks.Program; hook != nil {
		hook(a.Program, true)
	}
	err := adoptAndResume(a)
	if err != nil && a.Program.Init() > 0 {
		if f := a.Program.Failed(a.Program.Copy()); f != nil {
			return f
		}
	}
	return err
}

// adoptAndResume writes the byte that resumes init. Init is resumed before the runner is reaped, so that both proceed
// in parallel. Exceptions: a root launcher (it writes the id maps), cover watching (init's namespaces must be opened
// while init is dumpable) and a state (only a machine that gives full mounts in its folder) need init's pid first.
func adoptAndResume(a *Attempt) error {
	lasts := a.launch.lasts.folder != nil
	if a.Init.PID < 0 && (a.Machine.Root || a.watchesCovers() || lasts) {
		if err := a.adoptInit(); err != nil {
			return err
		}
	}
	if err := a.launch.makePlaces(a.View); err != nil {
		return err
	}
	// If the clone failed the pipe has no reader; the stored errno explains the failure.
	gone := a.Pipes.resume()
	if a.Init.PID < 0 {
		if err := a.adoptInit(); err != nil {
			return err
		}
	}
	return gone
}

// Close ends the started processes. No server has run.
func (a *Attempt) Close() {
	a.kept.starter.end(a)
	if a.Init.PID < 0 && a.Program != nil { // refused before init was adopted
		a.Init.PID = a.Program.Init()
	}
	a.Sandbox.Close()
}
