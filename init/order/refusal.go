package order

// A Refusal is the reason for which a launch is refused: the error that becomes a [Refused] record.
type Refusal struct {
	Layer Layer
	Op    string // what was tried
	Path  string // on what, or empty
	Err   error
}

func (r *Refusal) Error() string {
	s := string(r.Layer) + ": " + r.Op
	if r.Path != "" {
		s += " " + r.Path
	}
	return s + ": " + r.Err.Error()
}

func (r *Refusal) Unwrap() error { return r.Err }
