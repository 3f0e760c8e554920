//go:build darwin || linux

package proctree

// A Process is one process as one reading of the kernel's table showed it.
type Process struct {
	PID, Parent    int
	Group, Session int
	Depth          int    // 1: a child of the ancestor that was asked for
	Start          uint64 // in a unit of the system's: another process with the same pid has another start
	state          byte   // a letter of proc_pid_stat(5), on every system
}

// Dead reports whether the process is a zombie.
func (p *Process) Dead() bool { return p.state == 'Z' || p.state == 'X' }

// Stopped reports whether a signal stopped the process.
func (p *Process) Stopped() bool { return p.state == 'T' }

// halted reports whether the process cannot fork: stopped, traced or dead.
func (p *Process) halted() bool { return p.state == 'T' || p.state == 't' || p.Dead() }
