package layers

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/program"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

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
	ears := seccomp{families: new([]family), trace: new(execTrace)}
	limited := policy.Policy{Limits: policy.Limits{Pids: 5}}
	core := func(pattern byte, hard uint64) *Request {
		m := Machine{Limits: Limits{CorePattern: pattern}}
		m.Hard[unix.RLIMIT_CORE] = hard
		return &Request{Machine: m}
	}
	abi := func(n int) *Request { return &Request{Machine: Machine{Landlock: Landlock{LandlockABI: n}}} }
	for _, c := range []struct {
		name  string
		row   row
		in    policy.Confinement
		req   *Request
		other answers
		want  string
	}{
		{"keyring", stateless(keyring), policy.Full, &Request{}, answers{"keyctl 0": fails(unix.EDQUOT)}, "session keyring"},
		{"keyctl kills", stateless(keyring), policy.Full, &Request{Machine: Machine{Deadly: []uintptr{unix.SYS_KEYCTL}}}, nil, "session keyring"},
		{"a keyring of its own", stateless(keyring), policy.Full, &Request{}, answers{"keyctl 0": 7, "keyctl 1": 7}, ""},
		{"no device of terminals", stateless(closeInherited), policy.Reduced, &Request{}, answers{"openat 0": fails(unix.EPERM)}, "open /dev/tty"},
		{"nor may it be looked at", stateless(closeInherited), policy.Reduced, &Request{}, answers{"openat 0": fails(unix.EACCES)}, "open /dev/tty"},
		{"no terminal", stateless(closeInherited), policy.Reduced, &Request{}, answers{"openat 0": fails(unix.ENXIO)}, ""},
		{"no /proc/sys", stateless(noUserNamespaces), policy.Full, &Request{}, answers{"openat 0": fails(unix.EROFS)}, "max_user_namespaces"},
		{"/proc/sys", stateless(noUserNamespaces), policy.Full, &Request{}, nil, ""},
		{"groups", stateless(dropIDs), policy.Reduced, &Request{Machine: Machine{IDs: IDs{Groups: 2}}}, nil, ""}, // refused: there are none
		{"no listener", ears, policy.Full, &Request{Filters: Filters{Asking: make([]byte, 8)}}, answers{"seccomp 0": fails(unix.EBUSY)}, "listener"},
		{"no listener is asked for", ears, policy.Full, &Request{}, nil, "listener"},
		{"a listener", ears, policy.Full, &Request{Filters: Filters{Asking: make([]byte, 8)}}, answers{"fcntl 0": fails(unix.EBADF)}, ""},
		{"core dumps to a socket", stateless(limits), policy.Full, core('@', 1), nil, "core dumps to a socket"},
		{"core dumps to a program, and no limit of 1", stateless(limits), policy.Full, core('|', 0), nil, "core dumps to a program"},
		{"core dumps to a program", stateless(limits), policy.Full, core('|', 1), nil, ""},
		{"core dumps to a file", stateless(limits), policy.Full, core('c', 0), nil, ""},
		{"a user without capabilities", noNewRights{}, policy.Reduced, &Request{}, nil, "bounding set"},
		{"one with them", noNewRights{}, policy.Reduced, &Request{Machine: Machine{Privileges: Privileges{Caps: platform.Capabilities{Effective: 1 << unix.CAP_SETPCAP}}}}, nil, ""},
		{"pids in a namespace", stateless(limits), policy.Full, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}}}, nil, ""},
		{"pids before Linux 5.14", stateless(limits), policy.Full, &Request{Policy: limited}, nil, "processes"},
		{"pids of the machine's root", stateless(limits), policy.Full, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}, IDs: IDs{MachinesRoot: true}}}, nil, "processes"},
		{"pids without a namespace", stateless(limits), policy.Reduced, &Request{Policy: limited, Machine: Machine{Limits: Limits{CountsProcesses: true}, Shared: true}}, nil, "processes"},
		{"Landlock 1", landlockRestrict{}, policy.Reduced, abi(1), nil, "renames,ioctls of devices,scopes"},
		{"Landlock 4", landlockRestrict{}, policy.Reduced, abi(4), nil, "ioctls of devices,scopes"},
		{"Landlock 5", landlockRestrict{}, policy.Reduced, abi(5), nil, "scopes"},
		{"Landlock 6", landlockRestrict{}, policy.Reduced, abi(6), nil, ""},
		{"Landlock 5 in full", landlockRestrict{}, policy.Full, abi(5), nil, "scope of signals and abstract sockets"},
		{"Landlock 6 in full", landlockRestrict{}, policy.Full, abi(6), nil, ""},
	} {
		if _, ok := c.row.(landlockRestrict); ok {
			c.row = inTable(order.Landlock, c.row, c.in, c.req)
		}
		report, _ := answered(c.row, c.in, c.req, c.other)
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
		req := &Request{Machine: Machine{IDs: IDs{Root: c.root, Groups: c.have}}}
		l, results := laid(req, stateless(dropIDs))
		results.Store(made(l, "getgroups 0"), uint64(c.find))
		clear(results.Bytes(program.Addr(l.Arg(made(l, "capget 0").Index(), 1)), 24))
		k := judge(l, results)
		report, refusal := *k.layer, k.refusal
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
		{stateless(noNamespaces), policy.Reduced, &Request{Machine: Machine{Landlock: Landlock{LandlockABI: 6}}}, order.Absent, "cannot be signalled"},
		{stateless(noNamespaces), policy.Reduced, &Request{Machine: Machine{Landlock: Landlock{LandlockABI: 5}}}, order.Absent, "can be signalled"},
		{inTable(order.Namespaces, absent{}, policy.ConfinementLimits, new(Request)), policy.ConfinementLimits,
			&Request{Lost: "a reason"}, order.Absent, "full was refused: a reason"},
		{stateless(noRoot), policy.Reduced, &Request{View: tree}, order.Absent, "see unprotected (1); filesystem.denyRead /p/secret does not hold"},
		{inTable(order.Root, absent{}, policy.ConfinementLimits, new(Request)), policy.ConfinementLimits, &Request{},
			order.Absent, "every file"},
		{inTable(order.Landlock, absent{}, policy.ConfinementLimits, new(Request)), policy.ConfinementLimits, &Request{},
			order.Absent, "nothing decides"},
		{stateless(openNetwork), policy.ConfinementLimits, &Request{}, order.Absent, "the host's network"},
		{stateless(openNetwork), policy.ConfinementLimits, &Request{Policy: network}, order.Off, ""},
		{stateless(noFilter), policy.ConfinementLimits, &Request{Policy: denies}, order.Absent, "subprocess.allow false does not hold; seccomp.deny does not hold"},
		{inTable(order.Landlock, landlockRestrict{}, policy.Full, old(0)), policy.Full, old(0), order.Absent, "no Landlock"},
		{inTable(order.Landlock, landlockRestrict{}, policy.Full, old(1)), policy.Full, old(1), order.Absent, "ABI 1"},
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
		for _, e := range table(new(state)) {
			has[e.layer] = has[e.layer] || e.where&in != 0
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
