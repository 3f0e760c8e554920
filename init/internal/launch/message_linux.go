package launch

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// awaitReady waits until init and the server have come to the end of their evidence, and each has sent a message.
func (a *Attempt) awaitReady() error {
	for messages := 0; messages < 2; {
		if err := a.await(a.Pipes.Ready); err != nil {
			return err
		}
		pid, carried, err := message(a.Pipes.Ready)
		switch {
		case err != nil:
			return a.failed(err)
		case carried >= 0:
			a.Listener.Take(carried)
			continue
		case pid != a.Init.PID:
			a.Server, a.Listener.Counting = pid, true
		}
		messages++
	}
	if a.Server <= 0 {
		return a.failed(errors.New("two answers from init and none from the server"))
	}
	return nil
}

// await waits until a descriptor has something to read, but no longer than a launch may take, and not once it is
// interrupted. The server's process tries its filter meanwhile, and has to be answered.
func (a *Attempt) await(fd int) error {
	l := a.launch
	for {
		fds := append([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN},
			{Fd: int32(a.Listener.Poll()), Events: unix.POLLIN}}, l.Interrupt.FDs...)
		left := l.Timeout - time.Since(l.began)
		if left <= 0 {
			return a.failed(errors.New("not done in " + l.Timeout.String()))
		}
		if _, err := unix.Poll(fds, int(left/time.Millisecond)+1); err != nil && err != unix.EINTR {
			return refusedStart("poll", err)
		}
		if err := l.Interrupt.Check(fds[2:]); err != nil {
			return err
		}
		if fds[1].Revents != 0 {
			a.Listener.Serve(fds[1].Revents)
		}
		if fds[0].Revents != 0 {
			return nil
		}
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
