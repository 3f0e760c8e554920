// Package signals makes signals readable: each caught signal is a byte, its number, on a pipe. Package shim, signals,
// passes SIGTERM on.
//
//	fd, err := signals.Open(unix.SIGTERM, unix.SIGINT)   // poll it with everything else
//
// The package replaces os/signal in a program that waits in one poll: no goroutine, no thread, and 2 µs instead
// of 0.1 ms for each signal. The handler is a few instructions of assembly that make one write(2), which is
// safe in a handler (signal-safety(7)). The handler replaces the Go runtime's, so os/signal must not be used
// for these signals in the same process.
//
// [StopGroup] and [StopSelf] stop the process itself, as Ctrl-Z does.
package signals
