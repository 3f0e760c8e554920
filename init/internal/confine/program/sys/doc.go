// Package sys has a constructor for each system call that a program makes, with the arguments of its manual page.
//
//	fd := p.Do(sys.Openat(sys.CWD, "/usr", unix.O_PATH|unix.O_CLOEXEC, 0))
//	p.Do(sys.Close(fd.Result()))
//
// Sizes that the kernel demands, reserved arguments and structs of two or three fields are filled in here. Nothing is
// called: a program.Builder stores the call, and the runner makes it.
package sys
