// Package matrix says which kernels are booted, what is broken in each, what must come of it, and what the output
// means.
//
//	for _, row := range matrix.Rows() { … row.Job(stage, checkout) … }
//
// It is pure: nothing here starts anything.
package matrix

import (
	"slices"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A Row is one machine and what must be found there.
type Row struct {
	Name     string
	Kernel   string // a name of Kernels
	Optional bool   // it is left out, aloud, where its kernel is not served
	Missing  string // what it would take to run it at all; then it is left out, aloud, everywhere
	Append   string // to the kernel's command line
	Hybrid   bool   // the controllers are in cgroup v1
	Sysctls  map[string]string
	Mask     []string
	Suites   []Suite // the project's tests that run there, besides the expectation
	Expect   Expectation
}

const plainUser = 1000

// old and recent are what the two kernels give to root, with nothing broken and no group of its own.
func old() Expectation {
	return Expectation{Kernel: "6.1.", LandlockABI: 2, Confinement: "full", Absent: []order.Layer{order.Cgroup},
		Lacking: []string{"landlock: scope of signals and abstract sockets"}}
}

func recent() Expectation {
	return Expectation{Kernel: "6.12.", LandlockABI: 6, Confinement: "full", Absent: []order.Layer{order.Cgroup}}
}

// in is the same with a group of the server's own, made in that way.
func (e Expectation) in(g Group) Expectation {
	e.Group = g
	e.Absent = slices.DeleteFunc(slices.Clone(e.Absent), func(l order.Layer) bool { return l == order.Cgroup })
	values := []string{"50000 100000", "268435456", "0", "1", "64"}
	for i, file := range LimitFiles() {
		e.Limits = append(e.Limits, file+" "+values[i])
	}
	return e
}

// user is the same for an ordinary user, in a place.
func (e Expectation) user(where job.Place) Expectation {
	e.UID, e.Place = plainUser, where
	return e
}

// Rows is the table.
func Rows() []Row { return slices.Concat(whole(), broken(), optional()) }

// whole are the machines with nothing broken: each kernel as root, as a user, and as a user to whom a group is
// delegated in either shape.
func whole() []Row {
	return []Row{
		{Name: "6.1-root", Kernel: "6.1", Expect: old().in(RootGroup),
			Suites: append(suites(0), resources("TestMemory|TestForkBomb|TestEvidence")...)},
		{Name: "6.1-user", Kernel: "6.1", Expect: old().user(job.Nowhere),
			Suites: slices.Concat(suites(plainUser), missed(), weakened())},
		{Name: "6.1-delegated", Kernel: "6.1", Expect: old().user(job.Delegated).in(DelegatedGroup)},
		{Name: "6.1-below-delegated", Kernel: "6.1", Expect: old().user(job.Below).in(DelegatedGroup)},
		{Name: "6.12-root", Kernel: "6.12", Suites: suites(0), Expect: recent().in(RootGroup)},
		{Name: "6.12-bombs", Kernel: "6.12", Suites: resources("."), Expect: recent().in(RootGroup)},
		{Name: "6.12-user", Kernel: "6.12", Suites: suites(plainUser), Expect: recent().user(job.Nowhere)},
		{Name: "6.12-delegated", Kernel: "6.12", Expect: recent().user(job.Delegated).in(DelegatedGroup)},
		{Name: "6.12-below-delegated", Kernel: "6.12", Expect: recent().user(job.Below).in(DelegatedGroup)},
		{Name: "6.12-user-manager", Kernel: "6.12", Expect: recent().user(job.Manager).in(ManagerGroup),
			Suites: resources("TestMemory|TestForkBomb|TestSpinBomb|TestEvidence|TestReduced")},
	}
}

// optional are the oldest and the newest kernel, where a mirror has them. Below Linux 5.12 no launch can be made.
func optional() []Row {
	oldest := Expectation{Kernel: "5.10.", Refused: Refusal{order.Root, "mount_setattr", 38, "Linux 5.12"}}
	newest := Expectation{Kernel: "7.3.", LandlockABI: 11, Confinement: "full", Absent: []order.Layer{order.Cgroup}}
	return []Row{
		{Name: "5.10-root", Kernel: "5.10", Optional: true, Expect: oldest},
		{Name: "5.10-user", Kernel: "5.10", Optional: true, Expect: oldest.user(job.Nowhere)},
		{Name: "6.1-arm64-user", Kernel: "6.1", Optional: true, Expect: old().user(job.Nowhere),
			Missing: "a root of arm64: a guest has this machine's own programs"},
		{Name: "7.3-root", Kernel: "7.3", Optional: true, Expect: newest.in(RootGroup)},
		{Name: "7.3-user", Kernel: "7.3", Optional: true, Suites: denials(), Expect: newest.user(job.Nowhere)},
	}
}
