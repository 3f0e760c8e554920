package doctor

import (
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/diagnose"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// namespaces is the trial of full confinement, which includes mounts, a root and the loopback device.
func namespaces(r *result) Check {
	const usable = "usable, mounts and loopback work inside"
	if r.full.ran() {
		if fresh := r.procless(); fresh != nil {
			return limited(usable+", but no /proc of its own: "+fresh.Reason, diagnose.MaskedProc)
		}
		return works(usable)
	}
	c := r.environment.FullRefused(r.full.Refused, r.shared.ran())
	switch {
	case c.Elsewhere:
		return limited(c.Detail, c.Fix)
	case r.shared.ran():
		return limited("usable and mounts work inside, but no network of its own: "+c.Detail, c.Fix)
	}
	return missing(c.Detail, c.Fix)
}

// cgroups is the control group in which the trial's server was made.
func cgroups(r *result, best *Trial) Check {
	l := best.layer(order.Cgroup)
	fix := r.environment.Delegation(l.Reason)
	switch gone := lacking(l); {
	case l.State != order.Proved:
		return limited(sentence(l.Reason, "limits fall back to rlimits"), fix)
	case gone != nil:
		return limited("usable, but no "+gone.Name+": "+sentence(gone.Reason, gone.Effect), fix)
	}
	return works("memory, pids and cpu limits hold for all processes together")
}

// landlock is the open(2) that was refused in the best of the trials. Why there is none a single call tells.
func landlock(r *result) Check {
	best, reached := r.reached()
	l := best.layer(order.Landlock)
	if l.State == order.Proved {
		abi := "ABI " + strconv.Itoa(best.Report.LandlockABI)
		if gone := lacking(l); gone != nil {
			return limited(abi+", but no "+gone.Name+": "+gone.Effect, diagnose.LandlockOld)
		}
		return works(abi)
	}
	problem, tried := r.environment.Call(order.TryLandlock)
	switch {
	case !tried:
		return missing(diagnose.Untried, "")
	case problem == "SIGSYS":
		return missing("a filter around this process ends whoever asks for it (SIGSYS)", diagnose.LandlockFiltered)
	case problem == "ENOSYS" && r.environment.Filtered:
		return missing("ENOSYS: the kernel has none, or the seccomp filter around this process hides it",
			diagnose.LandlockFiltered)
	case problem == "ENOSYS":
		return missing("the kernel has none", diagnose.LandlockMissing)
	case problem == "EOPNOTSUPP" || problem == "ENOTSUP": // one number, two names
		return missing("the kernel has it and it was switched off at boot", r.environment.BootLandlock())
	case problem != "":
		return missing(problem+": refused by the seccomp filter around this process", diagnose.LandlockFiltered)
	case reached == policy.None:
		return missing(diagnose.Untried, "")
	case reached != policy.ConfinementLimits && l.Reason != "":
		return limited(sentence(l.Reason, l.Effect), "")
	}
	return limited("there, and not used by confinement "+string(reached), "")
}

// seccomp is the call that the trial's filter refused, and a single call that asks for a listener.
func seccomp(r *result) Check {
	best, _ := r.reached()
	filter, tried := r.environment.Call(order.TryFilter)
	if best.layer(order.Seccomp).State != order.Proved && (!tried || filter != "") {
		if !tried {
			return missing(diagnose.Untried, "")
		}
		return missing("no filter can be loaded: "+filter, diagnose.SeccompMissing)
	}
	const unreported = " — a denied call is not reported"
	switch problem, tried := r.environment.Call(order.TryListener); {
	case !tried:
		return limited("filter; user notification was not tried", "")
	case problem == "":
		return works("filter and user notification")
	case problem == "EBUSY":
		return limited("filter; user notification is taken by the program that confines this process "+
			"(EBUSY)"+unreported, "")
	case problem == "EPERM":
		return limited("filter; user notification is refused by the filter around this process (EPERM)"+unreported, "")
	default:
		return limited("filter; no user notification ("+problem+")"+unreported, diagnose.ListenerMissing)
	}
}

// hostsByName is whether a list of hosts holds: by a network namespace, or by sockets that the launcher makes.
func hostsByName(r *result) Check {
	_, reached := r.reached()
	switch {
	case reached == policy.Full:
		return works("held by a network namespace")
	case r.named.ran() && r.named.Report.Confinement == string(policy.Reduced):
		return works("held without a network namespace: the launcher makes the server's connections, and a server " +
			"cannot listen")
	case r.named.Refused == nil:
		return missing(diagnose.Untried, "")
	}
	why := r.named.why()
	if _, also, ok := strings.Cut(why, diagnose.AndThisOne); ok {
		why = also
	}
	return missing("a list of hosts is refused: "+why, r.environment.NoSockets(why))
}
