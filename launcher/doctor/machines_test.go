package doctor

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

var update = flag.Bool("update", false, "write the goldens in testdata instead of comparing with them")

// proof is a report in which every layer is proved, for what makes a case different to be taken away from.
func proof(c policy.Confinement, abi int) *order.Enforced {
	r := &order.Enforced{Confinement: string(c), LandlockABI: abi}
	for _, l := range order.Layers() {
		r.Layers = append(r.Layers, order.LayerReport{Layer: l, State: order.Proved, Facts: []order.Fact{{Name: "a fact", Want: "1", Got: "1"}}})
	}
	return r
}

func (t Trial) with(l order.LayerReport) Trial {
	*t.layer(l.Layer) = l
	return t
}

func refusal(l order.Layer, op, path string, e syscall.Errno) Trial {
	return Trial{Refused: &order.Refusal{Layer: l, Op: op, Path: path, Err: worded{e}}}
}

// worded has the same text on every operating system.
type worded struct{ syscall.Errno }

func (w worded) Unwrap() error { return w.Errno }

func (w worded) Error() string {
	switch w.Errno {
	case syscall.EPERM:
		return "operation not permitted"
	case syscall.ENOSPC:
		return "no space left on device"
	case syscall.EINVAL:
		return "invalid argument"
	}
	return "permission denied"
}

func all(name string) []order.Call {
	var calls []order.Call
	for _, call := range []string{order.TryUser, order.TryMount, order.TryPID, order.TryIPC, order.TryUTS, order.TryCgroup,
		order.TryNet, order.TryLandlock, order.TryListener, order.TryFilter} {
		calls = append(calls, order.Call{Name: call})
	}
	return refuse(calls, name)
}

// refuse sets the error of calls: "EPERM user namespace, seccomp listener", or "EPERM namespaces" for all of these.
func refuse(calls []order.Call, what string) []order.Call {
	e, names, _ := strings.Cut(what, " ")
	for i := range calls {
		if strings.Contains(names, calls[i].Name) && names != "" || names == "namespaces" && strings.HasSuffix(calls[i].Name, "namespace") {
			calls[i].Error = e
		}
	}
	return calls
}

var noGroup = order.LayerReport{Layer: order.Cgroup, State: order.Absent, Reason: "no memory, pids, cpu controllers delegated",
	Effect: "memory is limited by RLIMIT_DATA per process"}

// on is a Linux machine on which all calls succeed, but for those that the environment names.
func on(kernel string, s diagnose.Environment) diagnose.Environment {
	s.OS, s.Kernel = "linux", kernel
	if s.Calls == nil {
		s.Calls = all("")
	}
	if s.Sysctl == nil {
		s.Sysctl = sysctl("", "")
	}
	return s
}

// sysctl are sysctls of which one is there.
func sysctl(name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
}

const (
	debianSwitch   = "kernel.unprivileged_userns_clone"
	apparmorSwitch = "kernel.apparmor_restrict_unprivileged_userns"
)

var killed = treeTrial{tried: true}

// machines are whole machines, of every operating system.
func machines() map[string]*result {
	ordinary := &result{arch: "amd64", tree: killed, environment: on("6.12.9", diagnose.Environment{Cgroups: "v2", Systemd: true})}
	ordinary.environment.Self = "/usr/local/bin/mcp-sandbox"
	m := map[string]*result{}
	linux := func(name string, change func(*result)) {
		f := *ordinary
		change(&f)
		m["linux-"+name] = &f
	}
	full, reduced := Trial{Report: proof(policy.Full, 6)}, Trial{Report: proof(policy.Reduced, 6)}
	linux("full", func(f *result) { f.full = full })
	linux("desktop", func(f *result) { f.full = Trial{Report: proof(policy.Full, 6)}.with(noGroup) })
	linux("ubuntu", func(f *result) {
		f.full, f.usual, f.shared = refusal(order.Namespaces, "write", "/proc/self/uid_map", syscall.EPERM), reduced, refusal(order.Namespaces, "write", "/proc/self/uid_map", syscall.EPERM)
		f.environment.Sysctl, f.named = sysctl(apparmorSwitch, "1"), f.usual
	})
	linux("docker", func(f *result) {
		f.full, f.usual = refusal(order.Namespaces, "clone", "", syscall.EPERM), Trial{Report: proof(policy.Reduced, 6)}.with(noGroup)
		f.shared, f.named, f.environment.Calls = f.full, f.usual, all("EPERM namespaces")
		f.environment = on("6.12.9", diagnose.Environment{Cgroups: "v2", Filtered: true, Calls: f.environment.Calls})
	})
	linux("old", func(f *result) {
		f.environment.Kernel = "5.12.0"
		f.full, f.environment.Calls = Trial{Report: proof(policy.Full, 0)}.with(noGroup).with(order.LayerReport{Layer: order.Landlock, State: order.Absent,
			Reason: "the kernel has no Landlock", Effect: "the mounts alone decide"}), all("ENOSYS landlock_create_ruleset")
		f.environment.Root = true
	})
	linux("nothing", func(f *result) {
		f.full = refusal(order.Namespaces, "clone", "", syscall.ENOSPC)
		f.shared, f.usual, f.least = f.full, f.full, f.full
		f.usual.Refused.Hint = "see the sysctl user.max_user_namespaces"
		f.tree, f.environment.Calls = treeTrial{}, refuse(all("ENOSPC namespaces"), "EOPNOTSUPP landlock_create_ruleset")
		f.environment.Sysctl = sysctl("user.max_user_namespaces", "0")
		f.environment.LSM = "lockdown,capability,yama"
	})
	linux("limits", func(f *result) {
		f.full = refusal(order.Namespaces, "clone", "", syscall.EPERM)
		f.shared, f.usual, f.environment.Calls = f.full, refusal(order.Landlock, "landlock_create_ruleset", "", syscall.EPERM), refuse(all("EPERM namespaces"), "EOPNOTSUPP landlock_create_ruleset")
		f.least = Trial{Report: proof(policy.ConfinementLimits, 0)}.with(order.LayerReport{Layer: order.Landlock, State: order.Off})
		f.environment.Sysctl = sysctl(debianSwitch, "0")
	})
	others := func(os, kernel string, facts ...order.Fact) {
		usual := Trial{Report: proof(policy.ConfinementLimits, 0)}.with(order.LayerReport{Layer: order.Limits, State: order.Proved, Facts: facts})
		m[os] = &result{arch: "arm64", full: refusal(order.Namespaces, "clone", "", syscall.EINVAL), usual: usual, tree: killed,
			environment: diagnose.Environment{Circumstances: diagnose.Circumstances{OS: os, Kernel: kernel}}}
	}
	got := func(names ...string) (facts []order.Fact) {
		for _, n := range names {
			facts = append(facts, order.Fact{Name: n, Want: "1", Got: "1"})
		}
		return facts
	}
	gone := func(reason string, names ...string) (facts []order.Fact) {
		for _, n := range names {
			facts = append(facts, order.Fact{Name: n, Want: "1", Reason: reason, Effect: "it does not hold"})
		}
		return facts
	}
	// As the shims of these systems tell them, and as Wine does, which takes limits and tells none.
	others("darwin", "24.6.0", slices.Concat(got("core", "open files"), gone("the kernel takes the limit and does not hold it", "data"),
		got("session of its own"), gone("there are no control groups", "cpu rate"), gone("it counts the user's", "processes"))...)
	jobs, resources := got("in the inner job", "in the outer job"), []string{"processes", "memory", "user interface", "cpu rate"}
	flags := []string{"flags of the inner job", "flags of the outer job"}
	others("windows", "10.0.26100", slices.Concat(jobs, got(flags...), got(resources...), gone("Windows has no such limit", "open files"))...)
	windows := m["windows"]
	others("windows", "10.0.18362", slices.Concat(jobs, gone("this system tells none", flags...), gone("this system tells none", resources...))...)
	m["wine"], m["windows"] = m["windows"], windows
	return m
}

// The goldens are JSON as doctor --json prints it; cmd/mcp-sandbox has what a person reads of the same machines.
func TestMachines(t *testing.T) {
	for name, f := range machines() {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(f.machine()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", name+".json")
		if *update {
			if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != strings.ReplaceAll(string(want), "\r\n", "\n") {
			t.Errorf("%s differs: run go test -update and look at the difference. Now it is\n%s", file, b.String())
		}
	}
}

// Standard starts where full or its default confinement was reached, and nowhere else.
func TestRefusedMachine(t *testing.T) {
	for name, f := range machines() {
		m := f.machine()
		starts := name != "linux-nothing" && name != "linux-limits"
		if (m.Refused == nil) != starts {
			t.Errorf("%s: refused %v", name, m.Refused)
		}
		last := m.Checks[len(m.Checks)-1]
		if last.Name == "Confinement reachable" && (last.State == Missing) == starts {
			t.Errorf("%s: %+v", name, last)
		}
		for _, c := range m.Checks {
			if c.Detail == "" || strings.ContainsAny(c.Detail, "\n\t") || c.State == Works && c.Fix != "" {
				t.Errorf("%s: %+v", name, c)
			}
		}
	}
}
