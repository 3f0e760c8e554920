package launcher

import (
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// namespaces is the trial of full confinement, which goes up to mounts, a root and lo.
func (f *findings) namespaces() Check {
	const name = "User namespaces"
	if f.full.ran() {
		if fresh := f.procless(); fresh != nil {
			return Check{name, Limited, "usable, mounts and loopback work inside, but no /proc of its own: " + fresh.Reason, fixMaskedProc}
		}
		return Check{name, Works, "usable, mounts and loopback work inside", ""}
	}
	c := f.cause()
	switch {
	case c.elsewhere:
		return Check{name, Limited, c.detail, c.fix}
	case f.shared.ran():
		return Check{name, Limited, "usable and mounts work inside, but no network of its own: " + c.detail, c.fix}
	}
	return Check{name, Missing, c.detail, c.fix}
}

// cgroups is the group that the trial was born in.
func (f *findings) cgroups() Check {
	const name = "Cgroups v2"
	best, reached := f.reached()
	if reached == policy.None {
		return Check{name, Missing, untried, ""}
	}
	l := best.layer(order.Cgroup)
	switch gone := lacking(l); {
	case l.State != order.Proved:
		return Check{name, Limited, sentence(l.Reason, "limits fall back to rlimits"), f.fixDelegation()}
	case gone != nil:
		return Check{name, Limited, "usable, but no " + gone.Name + ": " + sentence(gone.Reason, gone.Effect), f.fixDelegation()}
	}
	return Check{name, Works, "memory, pids and cpu limits hold for all processes together", ""}
}

// landlock is the open that was refused in the best of the trials; what its absence comes from a single call tells.
func (f *findings) landlock() Check {
	const name = "Landlock"
	best, reached := f.reached()
	l := best.layer(order.Landlock)
	if l.State == order.Proved {
		abi := "ABI " + strconv.Itoa(best.report.LandlockABI)
		if gone := lacking(l); gone != nil {
			return Check{name, Limited, abi + ", but no " + gone.Name + ": " + gone.Effect, "Linux 6.12 or later has it"}
		}
		return Check{name, Works, abi, ""}
	}
	problem, known := f.call(order.TryLandlock)
	switch {
	case !known:
		return Check{name, Missing, untried, ""}
	case problem == struck:
		return Check{name, Missing, "a filter around this process ends whoever asks for it (SIGSYS)", f.fixFilter("landlock_create_ruleset, landlock_add_rule and landlock_restrict_self")}
	case problem == "ENOSYS" && f.around.filtered:
		return Check{name, Missing, "ENOSYS: the kernel has none, or the seccomp filter around this process hides it", f.fixFilter("landlock_create_ruleset, landlock_add_rule and landlock_restrict_self")}
	case problem == "ENOSYS":
		return Check{name, Missing, "the kernel has none", "Linux 5.13 or later, built with CONFIG_SECURITY_LANDLOCK"}
	case problem == "EOPNOTSUPP" || problem == "ENOTSUP": // one number, two names
		return Check{name, Missing, "the kernel has it and it was switched off at boot", f.fixLSM()}
	case problem != "":
		return Check{name, Missing, problem + ": refused by the seccomp filter around this process", f.fixFilter("landlock_create_ruleset, landlock_add_rule and landlock_restrict_self")}
	case reached == policy.None:
		return Check{name, Missing, untried, ""}
	case reached == policy.ConfinementLimits:
		return Check{name, Limited, "there, and not used by confinement limits", ""}
	case l.Reason != "":
		return Check{name, Limited, sentence(l.Reason, l.Effect), ""}
	}
	return Check{name, Limited, "there, and not used by confinement " + string(reached), ""}
}

// seccomp is the call that the trial's filter refused, and a listener that a process could have.
func (f *findings) seccomp() Check {
	const name = "Seccomp"
	best, _ := f.reached()
	filter, tried := f.call(order.TryFilter)
	if best.layer(order.Seccomp).State != order.Proved && (!tried || filter != "") {
		if !tried {
			return Check{name, Missing, untried, ""}
		}
		return Check{name, Missing, "no filter can be loaded: " + filter, "a kernel with CONFIG_SECCOMP_FILTER, and no filter around this process that refuses seccomp(2)"}
	}
	switch problem, known := f.call(order.TryListener); {
	case !known:
		return Check{name, Limited, "filter; user notification was not tried", ""}
	case problem == "":
		return Check{name, Works, "filter and user notification", ""}
	case problem == "EBUSY":
		return Check{name, Limited, "filter; user notification is taken by the program that confines this process (EBUSY) — a denied call is not reported", ""}
	case problem == "EPERM":
		return Check{name, Limited, "filter; user notification is refused by the filter around this process (EPERM) — a denied call is not reported", ""}
	default:
		return Check{name, Limited, "filter; no user notification (" + problem + ") — a denied call is not reported", "Linux 5.0 or later"}
	}
}

// kinds are the sysctls that limit namespaces, by the single call that shows it.
func kinds() [7][2]string {
	return [7][2]string{
		{order.TryUser, "user.max_user_namespaces"}, {order.TryMount, "user.max_mnt_namespaces"}, {order.TryPID, "user.max_pid_namespaces"},
		{order.TryIPC, "user.max_ipc_namespaces"}, {order.TryUTS, "user.max_uts_namespaces"}, {order.TryCgroup, "user.max_cgroup_namespaces"},
		{order.TryNet, "user.max_net_namespaces"},
	}
}

// sysctls are the ones that explain a refusal.
func sysctls() []string {
	names := []string{debianSwitch, apparmorSwitch}
	for _, k := range kinds() {
		names = append(names, k[1])
	}
	return names
}

// kind is the first namespace that could not be made by itself, and its sysctl.
func (f *findings) kind() (name, sysctl, problem string) {
	for _, k := range kinds() {
		if e, known := f.call(k[0]); known && e != "" {
			return k[0], k[1], e
		}
	}
	return "", "", ""
}
