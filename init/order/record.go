package order

import "strconv"

// A Record is one line of a report.
type Record interface {
	// AppendJSON appends the record as one line of JSON, with its newline.
	AppendJSON(b []byte) []byte
}

// writer appends the members of one JSON object.
type writer struct{ b []byte }

func (w *writer) key(k string) {
	if c := w.b[len(w.b)-1]; c != '{' && c != '[' {
		w.b = append(w.b, ',')
	}
	w.b = append(appendString(w.b, k), ':')
}

func (w *writer) str(k, v string) { w.key(k); w.b = appendString(w.b, v) }

// some writes a member only if it says something.
func (w *writer) some(k, v string) {
	if v != "" {
		w.str(k, v)
	}
}

func (w *writer) int(k string, v int64) { w.key(k); w.b = strconv.AppendInt(w.b, v, 10) }

func (w *writer) seconds(k string, v float64) {
	w.key(k)
	w.b = strconv.AppendFloat(w.b, v, 'f', 6, 64)
}

func (w *writer) list(k string, v []string) {
	w.key(k)
	w.b = append(w.b, '[')
	for i, s := range v {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = appendString(w.b, s)
	}
	w.b = append(w.b, ']')
}

// AppendJSON appends the first line of a report.
func (e *Enforced) AppendJSON(b []byte) []byte {
	w := writer{append(b, '{')}
	w.str("event", "enforced")
	w.int("version", int64(e.Version))
	w.str("level", e.Level)
	w.str("confinement", e.Confinement)
	w.str("minConfinement", e.MinConfinement)
	w.str("policySHA256", e.PolicySHA256)
	w.list("command", e.Command)
	w.int("pid", int64(e.PID))
	w.str("kernel", e.Kernel)
	w.int("landlockABI", int64(e.LandlockABI))
	w.list("impliedGrants", e.ImpliedGrants)
	w.list("protected", e.Protected)
	w.list("unprotected", e.Unprotected)
	w.list("envDropped", e.EnvDropped)
	w.key("layers")
	w.b = append(w.b, '[')
	for i := range e.Layers {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		e.Layers[i].write(&w)
	}
	w.b = append(w.b, ']')
	w.list("warnings", e.Warnings)
	return append(w.b, '}', '\n')
}

func (l *LayerReport) write(w *writer) {
	w.b = append(w.b, '{')
	w.str("layer", string(l.Layer))
	w.str("state", string(l.State))
	w.some("reason", l.Reason)
	w.some("effect", l.Effect)
	if len(l.Facts) > 0 {
		w.key("facts")
		w.b = append(w.b, '[')
		for i := range l.Facts {
			if i > 0 {
				w.b = append(w.b, ',')
			}
			l.Facts[i].write(w)
		}
		w.b = append(w.b, ']')
	}
	w.b = append(w.b, '}')
}

func (f *Fact) write(w *writer) {
	w.b = append(w.b, '{')
	w.str("name", f.Name)
	w.str("want", f.Want)
	w.some("got", f.Got)
	w.some("reason", f.Reason)
	w.some("effect", f.Effect)
	w.b = append(w.b, '}')
}

// AppendJSON appends the only line of a refused launch's report.
func (r *Refused) AppendJSON(b []byte) []byte {
	w := writer{append(b, '{')}
	w.str("event", "refused")
	w.str("layer", string(r.Layer))
	w.str("op", r.Op)
	w.str("path", r.Path)
	w.str("error", r.Error)
	if r.Errno != 0 {
		w.int("errno", int64(r.Errno))
	}
	w.str("hint", r.Hint)
	return append(w.b, '}', '\n')
}

// AppendJSON appends the last line of a report.
func (x *Exited) AppendJSON(b []byte) []byte {
	w := writer{append(b, '{')}
	w.str("event", "exited")
	w.str("cause", string(x.Cause))
	w.int("exitCode", int64(x.ExitCode))
	w.str("signal", x.Signal)
	w.int("killed", int64(x.Killed))
	w.seconds("wallSeconds", x.WallSeconds)
	w.seconds("cpuSeconds", x.CPUSeconds)
	w.int("maxRSS", x.MaxRSS)
	if len(x.Appeared) > 0 {
		w.list("appeared", x.Appeared)
	}
	return append(w.b, '}', '\n')
}
