package layers

import (
	"slices"
	"strconv"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// mismatch is the error of a fact with another value than the wanted one.
type mismatch struct{ want, got string }

func (m mismatch) Error() string {
	got := m.got
	if got == "" {
		got = "nothing"
	}
	return "want " + m.want + ", got " + got
}

// A proof compares the results of a row's calls, for one layer.
type proof struct {
	layer   order.Layer
	compare func(*check)
}

// check is the comparison of one layer: the facts so far, and the first one that refuses the launch.
type check struct {
	*Evidence
	layer   *order.LayerReport
	refusal *order.Refusal
}

// fact adds a wanted and a found value. The first that differ refuse the launch.
func (c *check) fact(name, want, got string) { c.factIf(want == got, name, want, got) }

// factIf adds a fact that demands something else than equality.
func (c *check) factIf(ok bool, name, want, got string) {
	c.layer.Facts = append(c.layer.Facts, order.Fact{Name: name, Want: want, Got: got})
	if !ok {
		c.refuse(name, "", mismatch{want, got})
	}
}

// lacks adds a fact that the machine cannot give.
func (c *check) lacks(name, want, reason, effect string) {
	c.layer.Facts = append(c.layer.Facts, order.Fact{Name: name, Want: want, Reason: reason, Effect: effect})
}

// set sets the state of the layer, which its facts set otherwise.
func (c *check) set(s order.State, reason, effect string) {
	c.layer.State, c.layer.Reason, c.layer.Effect = s, reason, effect
}

func (c *check) refuse(op, path string, err error) {
	if c.refusal == nil {
		c.refusal = &order.Refusal{Layer: c.layer.Layer, Op: op, Path: path, Err: err}
	}
}

// Check compares the evidence with the request. The layers are in the order of a report.
func (l *Layout) Check(e *Evidence) ([]order.LayerReport, *order.Refusal) {
	return CheckRest(l, e, nil)
}

// CheckInit compares what init's rows left, when init is ready: the result is for [CheckRest], which compares
// the rest, as long as Mounts stays as it is. nil: something differs, and CheckRest has to compare all.
func CheckInit(l *Layout, e *Evidence) []order.LayerReport {
	found := noFacts()
	for i := range found {
		c := &check{Evidence: e, layer: &found[i]}
		if compare(c, l.proofs[:l.initProofs]); c.refusal != nil {
			return nil
		}
	}
	return found
}

// CheckRest is [Layout.Check] of evidence of which CheckInit has compared a part, unless that found nil.
func CheckRest(l *Layout, e *Evidence, found []order.LayerReport) ([]order.LayerReport, *order.Refusal) {
	if f, bad := l.FirstFailure(e.Results, l.initReady, false); bad {
		return nil, l.refusal(e.Results, f)
	}
	if f, some := l.NotRun(e.Results, l.initReady); some {
		return nil, l.refusal(e.Results, f)
	}
	rest := l.proofs
	if found == nil {
		found = noFacts()
	} else {
		rest = l.proofs[l.initProofs:]
	}
	for i := range found {
		c := &check{Evidence: e, layer: &found[i]}
		compare(c, rest)
		if l.is(unconfined) && !slices.ContainsFunc(l.proofs, c.proves) {
			c.layer.State = order.Off
		}
		conclude(c)
		if c.refusal != nil {
			return nil, c.refusal
		}
	}
	return found, nil
}

// noFacts are the layers before any comparison.
func noFacts() []order.LayerReport {
	names := order.Layers()
	layers := make([]order.LayerReport, len(names))
	for i, n := range names {
		layers[i].Layer = n
	}
	return layers
}

// compare makes those of the comparisons that are of the layer.
func compare(c *check, proofs []proof) {
	for _, p := range proofs {
		if c.proves(p) {
			p.compare(c)
		}
	}
}

func (c *check) proves(p proof) bool { return p.layer == c.layer.Layer }

// conclude sets the state of a layer by its facts, unless a row has set it.
func conclude(c *check) {
	l := c.layer
	if l.State != "" {
		return
	}
	if l.Conclude(); l.State == order.Absent && l.Reason == "" {
		c.refuse("check", "", mismatch{"evidence", ""})
	}
}

func (l *Layout) refusal(r *program.Results, f program.Failure) *order.Refusal {
	all := refusalOf(f)
	if errno := l.ackErrno(r, f.Op); errno != 0 {
		all.Err, f.Errno = errno, errno
	}
	// Behind the filter calls are refused as the policy demands.
	if i := f.Op.Index(); f.Errno != 0 && i <= l.filterLoad && l.FirstOfKind(r, i) {
		all.Err = order.Mechanism{Errno: f.Errno}
	}
	return all
}

// ackErrno is the error in an answer of rtnetlink that an Op has read, or 0.
func (l *Layout) ackErrno(r *program.Results, o program.Op) syscall.Errno {
	for _, ack := range l.acks {
		if ack.op == o {
			errno, _ := platform.AckErrno(r.Filled(o, ack.at))
			return syscall.Errno(errno)
		}
	}
	return 0
}

func refusalOf(f program.Failure) *order.Refusal {
	var err error = f.Errno
	if f.Errno == 0 {
		err = mismatch{"another result", strconv.FormatInt(f.Got, 10)}
	}
	if !f.Ran {
		err = mismatch{"a result", "not reached"}
	}
	return &order.Refusal{Layer: order.Layer(f.Layer), Op: f.Call, Path: f.Object, Err: err}
}

// Failed is the first call without the demanded result, of a launch that ended before its server was ready.
func (l *Layout) Failed(r *program.Results) *order.Refusal {
	if e := r.Errno(l.clone); e != 0 {
		return &order.Refusal{Layer: order.Namespaces, Op: "clone", Err: order.Mechanism{Errno: e}}
	}
	if f, bad := l.FirstFailure(r, l.Len(), false); bad {
		return l.refusal(r, f)
	}
	return nil
}
