package supervise

import (
	"errors"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/rows"
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// setUp is how long a launch may take until its evidence is complete.
const setUp = 30 * time.Second

// errSignalled is a launch that was asked to end before the server was released.
type errSignalled struct{ signal unix.Signal }

func (e errSignalled) Error() string {
	return "ended by " + unix.SignalName(e.signal) + " before the server was released"
}

// prove waits until init and the server have come to the end of their evidence, and compares it.
func (s *shim) prove() (*order.Enforced, error) {
	for told := 0; told < 2; told++ {
		pid, err := s.told()
		if err != nil {
			return nil, err
		}
		if pid != s.init {
			s.server = pid
		}
	}
	if s.server <= 0 {
		return nil, s.failed(errors.New("two answers from init and none from the server"))
	}
	if s.covering() {
		if err := s.lookOut(); err != nil {
			return nil, err
		}
	}
	table, err := platform.ReadSmall("/proc/"+strconv.Itoa(s.init)+"/mountinfo", 8<<20)
	if err != nil {
		return nil, &rows.Refusal{Layer: order.Root, Op: "mountinfo", Err: err}
	}
	mounts, err := platform.ParseMountinfo(table)
	if err != nil {
		return nil, &rows.Refusal{Layer: order.Root, Op: "mountinfo", Err: err}
	}
	layers, refusal := s.launch.Check(&rows.Evidence{Results: s.launch.Copy(), Mounts: mounts})
	if refusal != nil {
		return nil, refusal
	}
	return s.enforced(layers), nil
}

// told waits for one message and returns its sender.
func (s *shim) told() (pid int, err error) {
	fds := []unix.PollFd{{Fd: int32(s.up), Events: unix.POLLIN}, {Fd: int32(s.signals), Events: unix.POLLIN}}
	for {
		left := setUp - time.Since(s.began)
		if left <= 0 {
			return 0, s.failed(errors.New("not done in " + setUp.String()))
		}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return 0, refusedStart("poll", err)
		}
		if sig := signals.Next(s.signals); ends(sig) {
			return 0, errSignalled{sig}
		}
		if fds[0].Revents != 0 {
			return s.sender()
		}
	}
}

// sender reads one message, with the process id that the kernel attached to it; unix(7), SCM_CREDENTIALS.
func (s *shim) sender() (int, error) {
	var b [8]byte
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred))
	n, oobn, _, _, err := unix.Recvmsg(s.up, b[:], oob, unix.MSG_DONTWAIT)
	if err != nil || n != 1 {
		return 0, s.failed(errors.New("its processes ended"))
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil || len(messages) != 1 {
		return 0, s.failed(errors.New("a message without its sender"))
	}
	cred, err := unix.ParseUnixCredentials(&messages[0])
	if err != nil {
		return 0, s.failed(err)
	}
	return int(cred.Pid), nil
}

// failed finds out which call it was.
func (s *shim) failed(err error) error {
	r := s.launch.Copy()
	if f := s.launch.Failed(r); f != nil {
		return f
	}
	return &rows.Refusal{Layer: order.Layer(s.launch.Reached(r)), Op: "set up", Err: err}
}

// abandon ends what was started of a launch that is refused. No server has run.
func (s *shim) abandon() {
	if s.lifeline >= 0 {
		unix.Close(s.lifeline)
		unix.Close(s.release)
		unix.Close(s.up)
		s.lifeline = -1
	}
	if s.initFD >= 0 {
		unix.PidfdSendSignal(s.initFD, unix.SIGKILL, nil, 0)
	}
	if s.outer > 0 && s.init < 0 { // refused before it was adopted
		wait(s.outer)
		s.init = s.launch.Init()
	}
	if s.init > 0 {
		wait(s.init)
	}
}
