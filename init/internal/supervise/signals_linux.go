package supervise

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// An inbox makes signals readable, so that one poll waits for everything.
type inbox struct {
	fd    int
	ready chan struct{} // closed once the signals that end a launch are caught
}

// listen catches the signals that a supervisor passes on. One that was ignored when the launcher started stays ignored,
// as nohup(1) expects.
func listen() *inbox {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return &inbox{fd: -1} // out of descriptors: what follows fails and says so
	}
	i := &inbox{p[0], make(chan struct{})}
	// Catching a signal takes the runtime 0.1 ms each, so it happens beside the launch.
	go func() {
		c := make(chan os.Signal, 16)
		catch := func(list ...os.Signal) {
			for _, s := range list {
				if !signal.Ignored(s) {
					signal.Notify(c, s)
				}
			}
		}
		catch(unix.SIGTERM, unix.SIGINT, unix.SIGHUP)
		close(i.ready)
		catch(unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT)
		for s := range c {
			if n, ok := s.(syscall.Signal); ok {
				unix.Write(p[1], []byte{byte(n)}) // a full pipe already holds more signals than anybody waits for
			}
		}
	}()
	return i
}

// next is a signal that came, or 0.
func (i *inbox) next() unix.Signal {
	var b [1]byte
	if n, err := unix.Read(i.fd, b[:]); n == 1 && err == nil {
		return unix.Signal(b[0])
	}
	return 0
}

// ends reports whether a signal asks for the end.
func ends(s unix.Signal) bool { return s == unix.SIGTERM || s == unix.SIGINT || s == unix.SIGHUP }
