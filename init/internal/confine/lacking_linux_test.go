package confine

import (
	"reflect"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// inTable is the row of a type that a confinement has, after the rows of its layer before it were laid out.
func inTable(layer order.Layer, like row, c policy.Confinement, req *Request) row {
	b := &build{Builder: program.New(make([]byte, program.Size)), Request: req, launch: new(Launch)}
	b.launch.in = setOf(c, false)
	if req.View == nil {
		req.View = &fsview.View{Process: fsview.Process{Cwd: "/"}}
	}
	for _, e := range rowsOf(b.launch.in, &b.launch.state) {
		if e.layer != layer {
			continue
		}
		if reflect.TypeOf(e.row) == reflect.TypeOf(like) {
			return e.row
		}
		e.row.ops(b)
	}
	return nil
}

// answered lays out one row in a confinement, answers each of its calls with 0 and then as stored says, and compares.
func answered(r row, c policy.Confinement, req *Request, stored func(*program.Results)) (order.LayerReport, *order.Refusal) {
	if req.View == nil {
		req.View = &fsview.View{Process: fsview.Process{Cwd: "/"}}
	}
	l := NewLaunch(make([]byte, program.Size), &req.Policy, c, false)
	l.req = req
	from := l.Len()
	r.ops(&build{Builder: l.builder, Request: req, launch: l})
	results := l.Copy()
	for i := from; i < l.Len(); i++ {
		results.Store(l.Op(i), 0)
	}
	if stored != nil {
		stored(results)
	}
	k := judge(l, results)
	r.check(k)
	return *k.layer, k.refusal
}

// judge compares results of a launch.
func judge(l *Launch, results *program.Results) *check {
	req := l.req
	if req == nil {
		req = &Request{View: new(fsview.View)}
	}
	return &check{Evidence: &Evidence{Results: results}, Request: req, launch: l, layer: new(order.LayerReport)}
}

// fails is the result of a call that fails.
func fails(e unix.Errno) uint64 { return -uint64(e) }

// lacking are the names of the facts that have a reason and an effect in place of what was found.
func lacking(l order.LayerReport) (names []string) {
	for _, f := range l.Facts {
		if f.Got == "" && f.Reason != "" && f.Effect != "" {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestWhatIsLackingIsTold: what a machine cannot give is told of the machine that cannot give it, and of no other.
func TestWhatIsLackingIsTold(t *testing.T) {
	var ring keyring
	var users noUserNamespaces
	ears := seccomp{families: new([]family), trace: new(execTrace)}
	var own closeInherited
	limited := policy.Policy{Limits: policy.Limits{Pids: 5}}
	core := func(pattern byte, hard uint64) *Request {
		m := Machine{Limits: Limits{CorePattern: pattern}}
		m.Hard[unix.RLIMIT_CORE] = hard
		return &Request{Machine: m}
	}
	answer := func(o *program.Op, v uint64) func(*program.Results) {
		return func(r *program.Results) { r.Store(*o, v) }
	}
	abi := func(n int) *Request { return &Request{Machine: Machine{Landlock: Landlock{LandlockABI: n}}} }
	for _, c := range []struct {
		name   string
		row    row
		in     policy.Confinement
		req    *Request
		stored func(*program.Results)
		want   string
	}{
		{"keyring", &ring, policy.Full, &Request{}, answer(&ring.join, fails(unix.EDQUOT)), "session keyring"},
		{"keyctl kills", &ring, policy.Full, &Request{Machine: Machine{Deadly: []uintptr{unix.SYS_KEYCTL}}}, nil, "session keyring"},
		{"a keyring of its own", &ring, policy.Full, &Request{}, answer(&ring.after, 7), ""},
		{"no device of terminals", &own, policy.Reduced, &Request{}, answer(&own.tty, fails(unix.EPERM)), "open /dev/tty"},
		{"nor may it be looked at", &own, policy.Reduced, &Request{}, answer(&own.tty, fails(unix.EACCES)), "open /dev/tty"},
		{"no terminal", &own, policy.Reduced, &Request{}, answer(&own.tty, fails(unix.ENXIO)), ""},
		{"no /proc/sys", &users, policy.Full, &Request{}, answer(&users.open, fails(unix.EROFS)), "max_user_namespaces"},
		{"/proc/sys", &users, policy.Full, &Request{}, nil, ""},
		{"groups", new(dropIDs), policy.Reduced, &Request{Machine: Machine{IDs: IDs{Groups: 2}}}, nil, ""}, // refused: there are none
		{"no listener", &ears, policy.Full, &Request{Asking: make([]byte, 8)}, func(r *program.Results) { r.Store(ears.load, fails(unix.EBUSY)) }, "listener"},
		{"no listener is asked for", &ears, policy.Full, &Request{}, nil, "listener"},
		{"a listener", &ears, policy.Full, &Request{Asking: make([]byte, 8)}, func(r *program.Results) { r.Store(ears.kept, fails(unix.EBADF)) }, ""},
		{"core dumps to a socket", new(limits), policy.Full, core('@', 1), nil, "core dumps to a socket"},
		{"core dumps to a program, and no limit of 1", new(limits), policy.Full, core('|', 0), nil, "core dumps to a program"},
		{"core dumps to a program", new(limits), policy.Full, core('|', 1), nil, ""},
		{"core dumps to a file", new(limits), policy.Full, core('c', 0), nil, ""},
		{"a user without capabilities", new(noNewRights), policy.Reduced, &Request{}, nil, "bounding set"},
		{"one with them", new(noNewRights), policy.Reduced, &Request{Machine: Machine{Privileges: Privileges{Caps: platform.Capabilities{Effective: 1 << unix.CAP_SETPCAP}}}}, nil, ""},
		{"pids in a namespace", new(limits), policy.Full, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}}}, nil, ""},
		{"pids before Linux 5.14", new(limits), policy.Full, &Request{Policy: limited}, nil, "processes"},
		{"pids of the machine's root", new(limits), policy.Full, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}, IDs: IDs{MachinesRoot: true}}}, nil, "processes"},
		{"pids without a namespace", new(limits), policy.Reduced, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}, Shared: true}}, nil, "processes"},
		{"Landlock 1", new(landlockRestrict), policy.Reduced, abi(1), nil, "renames,ioctls of devices,scopes"},
		{"Landlock 4", new(landlockRestrict), policy.Reduced, abi(4), nil, "ioctls of devices,scopes"},
		{"Landlock 5", new(landlockRestrict), policy.Reduced, abi(5), nil, "scopes"},
		{"Landlock 6", new(landlockRestrict), policy.Reduced, abi(6), nil, ""},
		{"Landlock 5 in full", new(landlockRestrict), policy.Full, abi(5), nil, "scope of signals and abstract sockets"},
		{"Landlock 6 in full", new(landlockRestrict), policy.Full, abi(6), nil, ""},
	} {
		if _, ok := c.row.(*landlockRestrict); ok {
			c.row = inTable(order.Landlock, c.row, c.in, c.req)
		}
		report, _ := answered(c.row, c.in, c.req, c.stored)
		if got := strings.Join(lacking(report), ","); got != c.want {
			t.Errorf("%s: %q is told as lacking, want %q", c.name, got, c.want)
		}
	}
}

// An ordinary user's supplementary groups stay: that is told, and another number of them than the launcher has is refused.
func TestGroupsAreTold(t *testing.T) {
	for _, c := range []struct {
		root       bool
		have, find int
		refused    bool
		want       int // facts that are lacking
	}{{false, 0, 0, false, 0}, {false, 2, 2, false, 1}, {false, 2, 0, true, 0}, {false, 0, 1, true, 0}, {true, 2, 0, false, 0}, {true, 2, 2, true, 0}} {
		r := new(dropIDs)
		req := &Request{Machine: Machine{IDs: IDs{Root: c.root, Groups: c.have}}}
		report, refusal := answered(r, policy.Reduced, req, func(res *program.Results) {
			res.Store(r.groups, uint64(c.find))
			clear(res.Bytes(r.caps.at, 24))
		})
		if (refusal != nil) != c.refused || len(lacking(report)) != c.want {
			t.Errorf("%+v: %v, lacking %v", c, refusal, lacking(report))
		}
	}
}

// TestLayersThatAreMissing: a layer that a confinement has not got says so, and what follows from that.
func TestLayersThatAreMissing(t *testing.T) {
	denies := policy.Policy{Seccomp: policy.Seccomp{Deny: []string{"getcwd"}}, Subprocess: policy.Subprocess{Allow: policy.No}}
	network := policy.Policy{Level: policy.LevelNetwork}
	old := func(abi int) *Request { return &Request{Machine: Machine{Landlock: Landlock{LandlockABI: abi}}} }
	tree := &fsview.View{Notes: fsview.Notes{Unprotected: []string{"/p/.git"}}, Unheld: []fsview.Unheld{{Key: "filesystem.denyRead", Path: "/p/secret"}}}
	for _, c := range []struct {
		row   row
		in    policy.Confinement
		req   *Request
		state order.State
		say   string // in its reason or its effect
	}{
		{new(noNamespaces), policy.Reduced, &Request{Machine: Machine{Landlock: Landlock{LandlockABI: 6}}}, order.Absent, "cannot be signalled"},
		{new(noNamespaces), policy.Reduced, &Request{Machine: Machine{Landlock: Landlock{LandlockABI: 5}}}, order.Absent, "can be signalled"},
		{inTable(order.Namespaces, new(absent), policy.ConfinementLimits, new(Request)), policy.ConfinementLimits,
			&Request{Lost: "a reason"}, order.Absent, "full was refused: a reason"},
		{new(noRoot), policy.Reduced, &Request{View: tree}, order.Absent, "see unprotected (1); filesystem.denyRead /p/secret does not hold"},
		{inTable(order.Root, new(absent), policy.ConfinementLimits, new(Request)), policy.ConfinementLimits, &Request{},
			order.Absent, "every file"},
		{inTable(order.Landlock, new(absent), policy.ConfinementLimits, new(Request)), policy.ConfinementLimits, &Request{},
			order.Absent, "nothing decides"},
		{new(openNetwork), policy.ConfinementLimits, &Request{}, order.Absent, "the host's network"},
		{new(openNetwork), policy.ConfinementLimits, &Request{Policy: network}, order.Off, ""},
		{new(noFilter), policy.ConfinementLimits, &Request{Policy: denies}, order.Absent, "subprocess.allow false does not hold; seccomp.deny does not hold"},
		{inTable(order.Landlock, new(landlockRestrict), policy.Full, old(0)), policy.Full, old(0), order.Absent, "no Landlock"},
		{inTable(order.Landlock, new(landlockRestrict), policy.Full, old(1)), policy.Full, old(1), order.Absent, "ABI 1"},
	} {
		report, refusal := answered(c.row, c.in, c.req, nil)
		if refusal != nil || report.State != c.state || !strings.Contains(report.Reason+"; "+report.Effect, c.say) {
			t.Errorf("%T in %s: %v, %q %q %q, want %q %q", c.row, c.in, refusal, report.State, report.Reason, report.Effect, c.state, c.say)
		}
	}
}

// Only level privileged has no row of a layer, which is then off: in the other confinements each layer has a row.
func TestEveryLayerHasARow(t *testing.T) {
	for in, want := range map[confinements]string{full: "", reduced: "", limitsFiltered: "", limitsUnfiltered: "",
		unconfined: "namespaces root privileges network landlock seccomp"} {
		has := map[order.Layer]bool{}
		for _, e := range rowsOf(in, new(state)) {
			has[e.layer] = true
		}
		var without []string
		for _, l := range order.Layers() {
			if !has[l] {
				without = append(without, string(l))
			}
		}
		if got := strings.Join(without, " "); got != want {
			t.Errorf("confinement %#b has no row of %q, want %q", in, got, want)
		}
	}
}

// A layer of which nothing was found is not proved, and one that says nothing at all is refused.
func TestLayerWithoutEvidence(t *testing.T) {
	found := order.Fact{Name: "a", Want: "1", Got: "1"}
	missing := order.Fact{Name: "b", Want: "1", Reason: "no such thing", Effect: "it does not hold"}
	for _, c := range []struct {
		facts   []order.Fact
		state   order.State
		refused bool
	}{
		{nil, order.Absent, true}, {[]order.Fact{missing}, order.Absent, false}, {[]order.Fact{missing, missing}, order.Absent, false},
		{[]order.Fact{found}, order.Proved, false}, {[]order.Fact{missing, found}, order.Proved, false},
	} {
		l := order.LayerReport{Facts: c.facts}
		k := &check{layer: &l}
		conclude(k)
		if l.State != c.state || (k.refusal != nil) != c.refused {
			t.Errorf("%v: %s, %v", c.facts, l.State, k.refusal)
		}
		if told := l.Reason == missing.Reason && l.Effect == missing.Effect; told != (c.state == order.Absent && !c.refused) {
			t.Errorf("%v: %q, %q", c.facts, l.Reason, l.Effect)
		}
	}
	l := order.LayerReport{State: order.Off}
	if conclude(&check{layer: &l}); l.State != order.Off {
		t.Errorf("a layer that is off: %s", l.State)
	}
}

// emptyLaunch is a launch in reduced without any row.
func emptyLaunch() *Launch {
	b := program.New(make([]byte, program.Size))
	return &Launch{Program: b.Program, builder: b, in: reduced}
}
