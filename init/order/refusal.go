package order

import "syscall"

// A Refusal is the reason for which a launch is refused: the error that becomes a [Refused] record, and of that
// record again the error that a host is given.
type Refusal struct {
	Layer Layer
	Op    string // the operation that failed
	Path  string // its path, or empty
	Err   error  // the kernel's error: errors.Is finds an errno in it
	Hint  string // the remedy; only of a refusal that a host receives
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
