package launch

import (
	"errors"
	"os"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"golang.org/x/sys/unix"
)

// awaitReady waits until init and the server have come to the end of their evidence, and each has sent a message.
func (a *Attempt) awaitReady() error {
	for messages := 0; messages < 2; {
		m, err := a.receive()
		if err != nil {
			return err
		}
		if len(m.carried) > 0 {
			if err := take(a, &m); err != nil {
				return err
			}
			continue
		}
		if m.pid != a.Init.PID {
			a.Server, a.Listener.Counting = m.pid, true
		} else if messages == 0 {
			compareInit(a)
		}
		messages++
	}
	if a.Server <= 0 {
		return a.failed(errors.New("two answers from init and none from the server"))
	}
	return nil
}

// receive waits for a message of init or of the server's process.
func (a *Attempt) receive() (m message, err error) {
	parent := a.launch.Host.Parent
	for {
		if parent != nil && len(parent.early) > 0 {
			m, parent.early = parent.early[0], parent.early[1:]
			return m, nil
		}
		if err = a.await(a.Pipes.Ready); err != nil {
			return m, err
		}
		if m, err = readMessage(a.Pipes.Ready); err != nil {
			return m, a.failed(err)
		}
		if parent == nil {
			return m, nil
		}
		if !parent.take(&m) {
			return m, nil
		}
		if err = a.launch.Interrupt.Check(nil); err != nil {
			return m, err
		}
		if parent.reaped {
			return m, a.failed(errReaped)
		}
	}
}

// take takes over the descriptors that a message carries: the sockets of init, or the listener of the server's process.
func take(a *Attempt, m *message) error {
	switch {
	case m.text == layers.MsgEgress && m.pid == a.Init.PID:
		return takeEgress(a, m.carried)
	case m.text == layers.MsgPublish && m.pid == a.Init.PID && len(m.carried) == layers.PublishReady &&
		a.kept.sockets == nil:
		a.kept.sockets = m.carried
		return nil
	case m.text == layers.MsgMounts && m.pid == a.Init.PID && len(m.carried) == 1 && a.kept.mounts < 0:
		a.kept.mounts = m.carried[0]
		return nil
	case m.text == layers.MsgRoom && m.pid == a.Init.PID && len(m.carried) == 1 && a.kept.room < 0:
		a.kept.room = m.carried[0]
		return nil
	case m.text == layers.MsgListener && len(m.carried) == 1:
		a.Listener.Take(m.carried[0])
		return nil
	}
	closeAll(m.carried)
	return refusedStart("receive", errors.New("a message with descriptors that nobody expects"))
}

// await waits until a descriptor has something to read, but no longer than a launch may take, and not once it is
// interrupted. The server's process tries its filter meanwhile, and init the sockets that it has handed over: both have
// to be answered.
func (a *Attempt) await(fd int) error {
	l := a.launch
	for {
		fds := append([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN},
			{Fd: int32(a.Listener.Poll()), Events: unix.POLLIN}, {Fd: int32(egressFD(a.Egress)), Events: unix.POLLIN}},
			l.Interrupt.FDs...)
		left := l.Hooks.Timeout - time.Since(l.began)
		if left <= 0 {
			return a.failed(errors.New("not done in " + l.Hooks.Timeout.String()))
		}
		if _, err := l.Interrupt.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return refusedStart("poll", err)
		}
		if err := l.Interrupt.Check(fds[3:]); err != nil {
			return err
		}
		if fds[1].Revents != 0 {
			a.Listener.Serve(fds[1].Revents)
		}
		if fds[2].Revents != 0 {
			a.Egress.Serve()
		}
		if fds[0].Revents != 0 {
			return nil
		}
	}
}

// A message is one of init's or of the server's process.
type message struct {
	pid     int // of the process that the kernel says it is from
	uid     int
	gid     int
	text    string
	carried []int // the descriptors
}

// mostCarried is SCM_MAX_FD, how many descriptors the kernel lets a message carry.
const mostCarried = 253

// readMessage reads one message; unix(7), SCM_CREDENTIALS and SCM_RIGHTS.
func readMessage(fd int) (m message, err error) {
	var b [len(layers.MsgPacket) + layers.PacketSize]byte
	oob := make([]byte, unix.CmsgSpace(unix.SizeofUcred)+unix.CmsgSpace(4*mostCarried))
	n, oobn, flags, _, err := unix.Recvmsg(fd, b[:], oob, unix.MSG_DONTWAIT|unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		return m, errReaped
	}
	m.text = string(b[:n])
	parts, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return m, os.NewSyscallError("recvmsg", err)
	}
	for i := range parts {
		if cred, err := unix.ParseUnixCredentials(&parts[i]); err == nil {
			m.pid, m.uid, m.gid = int(cred.Pid), int(cred.Uid), int(cred.Gid)
		} else if fds, err := unix.ParseUnixRights(&parts[i]); err == nil {
			m.carried = append(m.carried, fds...)
		}
	}
	switch {
	case n == 0: // the end, or a message without text that may carry something all the same
		err = errReaped
	case flags&unix.MSG_CTRUNC != 0: // the limit of open files is reached; the kernel has closed the others
		err = os.NewSyscallError("recvmsg", unix.EMFILE)
	case m.pid == 0:
		err = errors.New("a message without its sender")
	}
	if err != nil {
		closeAll(m.carried)
		m.carried = nil // or the caller would close what has these numbers by then
	}
	return m, err
}
