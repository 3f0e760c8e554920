package supervise

import (
	"github.com/security-mcp/mcp-sandbox/init/internal/signals"
	"golang.org/x/sys/unix"
)

// listen catches the signals that a supervisor passes on.
func listen() (fd int, err error) {
	return signals.Open(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT)
}

// ends reports whether a signal asks for the end.
func ends(s unix.Signal) bool { return s == unix.SIGTERM || s == unix.SIGINT || s == unix.SIGHUP }
