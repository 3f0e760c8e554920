package order

// Lowered tells the host, outside the report, that the machine refuses a stronger confinement until an
// administrator changes the machine. The host's next orders may begin with the confinement that was reached.
type Lowered struct {
	Event       string `json:"event"`
	Confinement string `json:"confinement"`
	Why         string `json:"why"`
}

// AppendJSON appends it as one line.
func (l *Lowered) AppendJSON(b []byte) []byte {
	w := record(b, "lowered")
	w.str("confinement", l.Confinement)
	w.str("why", l.Why)
	return w.line()
}
