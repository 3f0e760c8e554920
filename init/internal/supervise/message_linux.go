package supervise

import (
	"errors"
	"os"

	"github.com/security-mcp/mcp-sandbox/init/internal/notify"
	"github.com/security-mcp/mcp-sandbox/init/internal/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// newListener is for a filter that is not loaded yet.
func (s *shim) newListener() *notify.Listener {
	return notify.New(seccomp.Name, func(d *order.Denied) { s.sink.Later(d) })
}

// sayDenied says in one line, and puts into the last record, which calls were refused.
func (s *shim) sayDenied(x *order.Exited) {
	x.Denied, x.Dropped = s.listener.Denied()
	x.Dropped += int64(s.sink.Dropped)
	if line := notify.Summary(x.Denied); line != "" {
		s.Say(line)
	}
}

// message reads one message of init's or of the server's process: the process that the kernel says it is from, and the
// descriptor it carries, or -1; unix(7), SCM_CREDENTIALS and SCM_RIGHTS.
func message(fd int) (pid, carried int, err error) {
	var b [8]byte
	carried = -1
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred)+unix.CmsgSpace(4))
	n, oobn, _, _, err := unix.Recvmsg(fd, b[:], oob, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return 0, -1, errors.New("its processes ended")
	}
	messages, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return 0, -1, os.NewSyscallError("recvmsg", err)
	}
	for i := range messages {
		if cred, err := unix.ParseUnixCredentials(&messages[i]); err == nil {
			pid = int(cred.Pid)
		} else if fds, err := unix.ParseUnixRights(&messages[i]); err == nil && len(fds) == 1 {
			carried = fds[0]
		}
	}
	if pid == 0 {
		return 0, carried, errors.New("a message without its sender")
	}
	return pid, carried, nil
}
