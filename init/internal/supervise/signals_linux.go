package supervise

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"golang.org/x/sys/unix"
)

// listen catches the signals that a supervisor passes on. Not SIGTTIN and SIGTTOU: the kernel means the process that
// touched the terminal, and a write of one who catches them would be begun again and again.
func listen() (fd int, err error) {
	return signals.Open(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT,
		unix.SIGTSTP, unix.SIGIO) // the last is of a lookout's folders
}

// suspend stops the shim as Ctrl-Z stops a job, if there is a terminal whose shell waits for that.
func suspend() {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0) // ENXIO without one; tty(4)
	if err != nil {
		return
	}
	unix.Close(fd)
	unix.Kill(unix.Getpid(), unix.SIGSTOP)
}
