package order

// Lowered tells a host, and no report, that its machine refuses what a stronger confinement takes, for as long as
// nobody changes the machine: its next orders may begin with the one that was reached.
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
