// Package signals makes signals readable: each one caught is a byte, its number, on a pipe.
//
//	fd, err := signals.Open(unix.SIGTERM, unix.SIGINT)   // poll it with everything else
//
// It does what os/signal does for a program that waits in one poll, for less: no goroutine, no thread, and 2 µs
// instead of 0.1 ms for each signal, which every launch would pay. The handler is a few instructions of
// assembly that make one write(2), which is safe in a handler (signal-safety(7)). It replaces the Go runtime's
// own handler of these signals, so os/signal must not be used for them in the same process.
package signals
