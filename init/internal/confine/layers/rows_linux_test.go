package layers

import (
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// table is the rows of init and of the server's process.
func table(s *state) []entry { return append(initTable(s), serverRows(s)...) }

func initTable(s *state) []entry { return append(firstRows(s), initRows(s)...) }

// rowName is the name of a row's type or function.
func rowName(r row) string {
	name := fmt.Sprintf("%T", r)
	if f, ok := r.(stateless); ok {
		name = runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// inTable is the row of a type that a confinement has, after the rows of its layer before it were laid out.
func inTable(layer order.Layer, like row, c policy.Confinement, req *Request) row {
	b := emptyBuild(c, req)
	for _, e := range table(new(state)) {
		if e.layer != layer || !b.layout.is(e.where) {
			continue
		}
		if reflect.TypeOf(e.row) == reflect.TypeOf(like) {
			return e.row
		}
		e.row.layout(b)
	}
	return nil
}

// emptyBuild is a launch without any row.
func emptyBuild(c policy.Confinement, req *Request) *build {
	if req.View == nil {
		req.View = new(fsview.View)
		req.View.Cwd = "/"
	}
	l := NewLayout(make([]byte, program.Size), &req.Policy, c, false)
	l.req = req
	return &build{Builder: l.builder, Request: req, layout: l}
}

// laid lays out rows in reduced, and answers each of their calls with 0.
func laid(req *Request, rows ...row) (*Layout, *program.Results) {
	b := emptyBuild(policy.Reduced, req)
	return b.layout, answeredWithZero(b, rows...)
}

func answeredWithZero(b *build, rows ...row) *program.Results {
	from := b.Len()
	for _, r := range rows {
		r.layout(b)
	}
	results := b.Copy()
	for i := from; i < b.Len(); i++ {
		results.Store(b.Op(i), 0)
	}
	return results
}

// made is the Op of a system call, such as the first statx: "statx 0".
func made(l *Layout, call string) program.Op {
	name, nth, _ := strings.Cut(call, " ")
	left, _ := strconv.Atoi(nth)
	for i := l.clone.Index() + 1; i < l.Len(); i++ {
		if l.Called(i) == name {
			if left--; left < 0 {
				return l.Op(i)
			}
		}
	}
	panic("no call " + call)
}

// answers are the results of calls by their names, where they are not 0.
type answers map[string]uint64

// answered lays out one row in a confinement, answers its calls, and compares.
func answered(r row, c policy.Confinement, req *Request, other answers) (order.LayerReport, *order.Refusal) {
	b := emptyBuild(c, req)
	results := answeredWithZero(b, r)
	for call, v := range other {
		results.Store(made(b.layout, call), v)
	}
	k := judge(b.layout, results)
	return *k.layer, k.refusal
}

// judge compares results of a launch.
func judge(l *Layout, results *program.Results) *check {
	k := &check{Evidence: &Evidence{Results: results}, layer: new(order.LayerReport)}
	for _, p := range l.proofs {
		p.compare(k)
	}
	return k
}

// fails is the result of a call that fails.
func fails(e unix.Errno) uint64 { return -uint64(e) }
