package order

import (
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy/strictjson"
)

// A Record is one line of a report.
type Record interface {
	// AppendJSON appends the record as one line of JSON, with its newline.
	AppendJSON(b []byte) []byte
}

// writer writes the members of one JSON object.
type writer struct{ strictjson.Writer }

// record starts the line of an event.
func record(b []byte, event string) *writer {
	w := &writer{strictjson.Writer{Buf: b}}
	w.Object()
	w.str("event", event)
	return w
}

func (w *writer) line() []byte {
	w.EndObject()
	return append(w.Buf, '\n')
}

func (w *writer) str(name, v string) { w.Name(name); w.String(v) }

// some writes a member only if it says something.
func (w *writer) some(name, v string) {
	if v != "" {
		w.str(name, v)
	}
}

func (w *writer) int(name string, v int64) { w.Name(name); w.Int(v) }

// positive writes a member only if there is something to count.
func (w *writer) positive(name string, v int64) {
	if v > 0 {
		w.int(name, v)
	}
}

func (w *writer) seconds(name string, v float64) {
	w.Name(name)
	w.Raw(strconv.AppendFloat(nil, v, 'f', 6, 64))
}

// time writes the moment of a record, in UTC, to the millisecond; RFC 3339.
func (w *writer) time(at time.Time) {
	if !at.IsZero() {
		w.str("time", at.UTC().Format("2006-01-02T15:04:05.000Z"))
	}
}

func (w *writer) list(name string, v []string) { w.Name(name); w.Strings(v) }

// objects writes a member that is an array of objects.
func objects[T any](w *writer, name string, list []T, members func(*T)) {
	w.Name(name)
	w.Array()
	for i := range list {
		w.Object()
		members(&list[i])
		w.EndObject()
	}
	w.EndArray()
}

// AppendJSON appends the first line of a report.
func (e *Enforced) AppendJSON(b []byte) []byte {
	w := record(b, "enforced")
	w.int("version", int64(e.Version))
	w.time(e.Time)
	w.some("id", e.ID)
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
	objects(w, "layers", e.Layers, func(l *LayerReport) {
		w.str("layer", string(l.Layer))
		w.str("state", string(l.State))
		w.some("reason", l.Reason)
		w.some("effect", l.Effect)
		if len(l.Facts) > 0 {
			objects(w, "facts", l.Facts, w.fact)
		}
	})
	w.some("state", e.State)
	w.some("profile", e.Profile)
	if e.Package != nil {
		w.pack(e.Package)
	}
	if len(e.Publish) > 0 {
		w.list("publish", e.Publish)
	}
	objects(w, "notices", e.Notices, func(n *Notice) {
		w.str("kind", string(n.Kind.Reported()))
		w.str("name", n.Name)
		w.str("flag", n.Flag)
	})
	w.list("warnings", e.Warnings)
	return w.line()
}

func (w *writer) pack(p *PackageID) {
	w.Name("package")
	w.Object()
	w.str("manager", p.Manager)
	w.str("spec", p.Spec)
	w.str("name", p.Name)
	w.str("version", p.Version)
	w.str("integrity", p.Integrity)
	w.str("registry", p.Registry)
	w.str("path", p.Path)
	w.EndObject()
}

func (w *writer) fact(f *Fact) {
	w.str("name", f.Name)
	w.str("want", f.Want)
	w.some("got", f.Got)
	w.some("reason", f.Reason)
	w.some("effect", f.Effect)
}

// AppendJSON appends the only line of a refused launch's report.
func (r *Refused) AppendJSON(b []byte) []byte {
	w := record(b, "refused")
	w.str("layer", string(r.Layer))
	w.str("op", r.Op)
	w.str("path", r.Path)
	w.str("error", r.Error)
	if r.Errno != 0 {
		w.int("errno", int64(r.Errno))
	}
	w.str("hint", r.Hint)
	w.time(r.Time)
	w.some("id", r.ID)
	return w.line()
}

// AppendJSON appends a line between the first and the last.
func (d *Denied) AppendJSON(b []byte) []byte {
	w := record(b, "denied")
	w.time(d.Time)
	w.str("layer", string(d.Layer))
	w.act(&d.Act)
	w.some("flag", d.Flag)
	if d.PID != 0 {
		w.int("pid", int64(d.PID))
	}
	w.some("errno", d.Errno)
	return w.line()
}

func (w *writer) act(a *Act) {
	w.str("kind", string(a.Kind))
	w.some("syscall", a.Syscall)
	w.some("host", a.Host)
	w.some("address", a.Address)
	w.positive("port", int64(a.Port))
	w.some("asked", a.Asked)
	w.some("path", a.Path)
}

// AppendJSON appends the last line of a report.
func (x *Exited) AppendJSON(b []byte) []byte {
	w := record(b, "exited")
	w.time(x.Time)
	w.some("id", x.ID)
	w.str("cause", string(x.Cause))
	w.int("exitCode", int64(x.ExitCode))
	w.str("signal", x.Signal)
	w.int("killed", int64(x.Killed))
	w.seconds("wallSeconds", x.WallSeconds)
	w.seconds("cpuSeconds", x.CPUSeconds)
	w.int("maxRSS", x.MaxRSS)
	w.positive("memoryLimit", x.MemoryLimit)
	w.positive("memoryPeak", x.MemoryPeak)
	w.positive("forksRefused", x.ForksRefused)
	if len(x.Appeared) > 0 {
		w.list("appeared", x.Appeared)
	}
	if len(x.Denied) > 0 {
		objects(w, "denied", x.Denied, func(d *DeniedCount) {
			w.act(&d.Act)
			w.some("flag", d.Flag)
			w.some("errno", d.Errno)
			w.int("count", d.Count)
		})
	}
	if len(x.Egress) > 0 {
		objects(w, "egress", x.Egress, func(e *Egress) {
			w.str("host", e.Host)
			w.int("port", int64(e.Port))
			w.int("connections", e.Connections)
			w.int("sent", e.Sent)
			w.int("received", e.Received)
		})
	}
	w.positive("dropped", x.Dropped)
	return w.line()
}
