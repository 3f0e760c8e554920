package supervise

import (
	"cmp"
	"errors"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine"
	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
	"github.com/security-mcp/mcp-sandbox/init/internal/report"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// launchTimeout is how long a launch may take until its evidence is complete.
const launchTimeout = 30 * time.Second

// prove waits until init and the server have come to the end of their evidence, and compares it.
func (s *shim) prove() (*order.Enforced, error) {
	for told := 0; told < 2; told++ {
		pid, err := s.told()
		if err != nil {
			return nil, err
		}
		if pid != s.init {
			s.server, s.listener.Counting = pid, true
		}
	}
	if s.server <= 0 {
		return nil, s.failed(errors.New("two answers from init and none from the server"))
	}
	if s.covers != nil {
		if err := s.watchCovers(); err != nil {
			return nil, err
		}
	}
	mounts, err := s.mounts()
	if err != nil {
		return nil, &order.Refusal{Layer: order.Root, Op: "mountinfo", Path: s.mountsOf(), Err: err}
	}
	if err = s.group.ReadBack(); err != nil {
		return nil, &order.Refusal{Layer: order.Cgroup, Op: "read back", Err: err}
	}
	evidence := &confine.Evidence{Results: s.launch.Copy(), Mounts: mounts, Server: s.server}
	if s.AlterEvidence != nil {
		s.AlterEvidence(s.launch, evidence)
	}
	layers, refusal := s.launch.Check(evidence)
	if refusal != nil {
		return nil, refusal
	}
	return s.enforced(layers), nil
}

// mounts are init's, if it has its own.
func (s *shim) mounts() ([]platform.Mount, error) {
	if s.shared() {
		return nil, nil
	}
	table, err := platform.ReadSmall(s.mountsOf(), 8<<20)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	return platform.ParseMountinfo(table)
}

func (s *shim) mountsOf() string { return "/proc/" + strconv.Itoa(s.init) + "/mountinfo" }

// told waits for one message that a process has come to its end, and returns which.
func (s *shim) told() (pid int, err error) {
	for {
		if err := s.await(s.up); err != nil {
			return 0, err
		}
		pid, carried, err := message(s.up)
		switch {
		case err != nil:
			return 0, s.failed(err)
		case carried >= 0:
			s.listener.Take(carried)
		default:
			return pid, nil
		}
	}
}

// await waits until a descriptor has something to read, but no longer than a launch may take, and not when it is asked to
// end or its host is gone. The server's process tries its filter meanwhile, and has to be answered.
func (s *shim) await(fd int) error {
	for {
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(s.asks), Events: unix.POLLIN},
			{Fd: int32(s.listener.Poll()), Events: unix.POLLIN}}
		if s.policy.OnHostExit != policy.Ignore { // or the poll would return for it at once, again and again
			host := s.hostPoll()
			fds = append(fds, host[:]...)
		}
		timeout := cmp.Or(s.Timeout, launchTimeout)
		left := timeout - time.Since(s.began)
		if left <= 0 {
			return s.failed(errors.New("not done in " + timeout.String()))
		}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return refusedStart("poll", err)
		}
		if sig := signals.Next(s.asks); ending.Asks(sig) {
			return report.Signalled{Signal: sig}
		}
		if err := s.unhosted(fds[3:]); err != nil {
			return err
		}
		if fds[2].Revents != 0 {
			s.listener.Serve(fds[2].Revents)
		}
		if fds[0].Revents != 0 {
			return nil
		}
	}
}

// failed finds out which call it was.
func (s *shim) failed(err error) error {
	r := s.launch.Copy()
	if f := s.launch.Failed(r); f != nil {
		return f
	}
	if sig := s.struck(); sig != 0 {
		err = killedBy(sig)
	}
	return &order.Refusal{Layer: order.Layer(s.launch.Reached(r)), Op: "set up", Err: err}
}

// abandon ends what was started of a launch that is refused. No server has run.
func (s *shim) abandon() {
	if s.lifeline >= 0 {
		unix.Close(s.release)
		unix.Close(s.up)
	}
	if s.initFD >= 0 {
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
		unix.Close(s.initFD)
	}
	if s.lifeline >= 0 {
		unix.Close(s.lifeline) // after the kill: an init whose lifeline ends does more than to end
	}
	if s.outer > 0 {
		s.endRunner()
	}
	if s.init < 0 && s.launch != nil { // refused before it was adopted
		s.init = s.launch.Init()
	}
	if s.init > 0 {
		wait(s.init)
	}
	if s.shared() && s.launch != nil {
		s.sweepOwn() // the server's process, which was init's child
	}
	s.reapRest()
	s.forget()
	s.lifeline, s.initFD, s.outer, s.outerErr, s.init, s.server = -1, -1, 0, nil, -1, 0
	s.listener.Close()
	s.listener = s.newListener()
	s.covers.Close()
	s.covers, s.launch = nil, nil
}
