package matrix

import (
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// broken are the machines with one thing broken each.
func broken() []Row {
	user := recent().user(job.Nowhere)
	noLandlock := user
	noLandlock.LandlockABI, noLandlock.Absent = 0, []order.Layer{order.Cgroup, order.Landlock}
	few, hybrid := recent().user(job.Below).in(DelegatedGroup), recent().in(RootGroup)
	few.Limits = few.Limits[:1]
	for _, file := range LimitFiles()[1:] {
		few.Lacking = append(few.Lacking, "cgroup: "+file)
	}
	hybrid.Limits, hybrid.Lacking = hybrid.Limits[1:4], []string{"cgroup: cpu.max", "cgroup: pids.max"}
	nothing := Expectation{Kernel: user.Kernel, UID: user.UID,
		Refused: Refusal{order.Namespaces, "clone", 28, "forbids user namespaces"}} // ENOSPC
	less := user
	less.Confinement, less.Absent = reduced, []order.Layer{order.Cgroup, order.Namespaces, order.Root}
	less.Lacking = []string{"limits: processes", "privileges: bounding set"} // to drop it takes CAP_SETPCAP
	return []Row{
		{Name: "6.12-max-user-namespaces-0", Kernel: "6.12", Expect: less,
			Sysctls: map[string]string{"user.max_user_namespaces": "0"}},
		{Name: "6.12-no-userns-clone", Kernel: "6.12", Expect: less,
			Sysctls: map[string]string{"kernel.unprivileged_userns_clone": "0"}},
		{Name: "6.12-max-net-namespaces-0", Kernel: "6.12", Expect: less,
			Sysctls: map[string]string{"user.max_net_namespaces": "0"}},
		{Name: "6.12-no-landlock", Kernel: "6.12", Append: "lsm=lockdown,yama", Suites: denials(), Expect: noLandlock},
		{Name: "6.12-no-landlock-no-namespaces", Kernel: "6.12", Append: "lsm=lockdown,yama", Expect: nothing,
			Sysctls: map[string]string{"user.max_user_namespaces": "0"}},
		{Name: "6.12-masked-proc", Kernel: "6.12", Mask: []string{"/proc/kcore"}, Expect: less},
		{Name: "6.12-no-memory-no-pids", Kernel: "6.12", Append: "cgroup_disable=memory,pids", Expect: few},
		{Name: "6.12-hybrid-root", Kernel: "6.12", Hybrid: true, Expect: hybrid},
		{Name: "6.12-hybrid-user", Kernel: "6.12", Hybrid: true, Expect: user},
		{Name: "6.1-hybrid-root", Kernel: "6.1", Hybrid: true, Expect: old()},
	}
}

// Control is a row that must fail: the first one that takes no time, with an expectation edited to be wrong.
func Control() Row {
	for _, r := range Rows() {
		if r.Suites == nil && r.Expect.Confinement != "" {
			r.Name += "-expecting-wrongly"
			r.Expect.LandlockABI++
			return r
		}
	}
	panic("matrix: no row for a control")
}
