package order

import "syscall"

// A Refusal is the reason for which a launch is refused: the error that becomes a [Refused] record, and of that
// record again the error that a host is given.
type Refusal struct {
	Layer Layer
	Op    string // what was tried
	Path  string // on what, or empty
	Err   error  // what the kernel said: errors.Is finds an errno in it
	Hint  string // what to do about it; only of a refusal that a host is told
}

func (r *Refusal) Error() string {
	s := string(r.Layer) + ": " + r.Op
	if r.Path != "" {
		s += " " + r.Path
	}
	return s + ": " + r.Err.Error()
}

func (r *Refusal) Unwrap() error { return r.Err }

// A Mechanism is the errno of a call that the machine refuses whatever the policy names: no call of its kind
// succeeded before. Where one did, a failure is due to the path or the value.
type Mechanism struct{ syscall.Errno }

// Unwrap is the errno.
func (m Mechanism) Unwrap() error { return m.Errno }
