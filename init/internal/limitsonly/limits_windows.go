package limitsonly

import (
	"math"
	"runtime"

	"golang.org/x/sys/windows"
)

// limits are those of two Job Objects, one nested in the other. The shim is in the outer job too, so that
// the shim's processes end with the shim. The inner job has the limits: the outer job's number of
// processes would count the shim.
type limits struct {
	inner      windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	outerFlags uint32
	ui         uint32 // of JOBOBJECT_BASIC_UI_RESTRICTIONS
	rate       uint32 // the share of all processors' time in hundredths of a percent; 0 for no limit
}

// uiLimits keep a server from the clipboard, from other programs' windows and atoms, from the display and from
// ending the session.
const uiLimits = windows.JOB_OBJECT_UILIMIT_DESKTOP | windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS |
	windows.JOB_OBJECT_UILIMIT_EXITWINDOWS | windows.JOB_OBJECT_UILIMIT_GLOBALATOMS |
	windows.JOB_OBJECT_UILIMIT_HANDLES | windows.JOB_OBJECT_UILIMIT_READCLIPBOARD |
	windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | windows.JOB_OBJECT_UILIMIT_WRITECLIPBOARD

// newLimits are the limits of a policy. No flag allows a process to break away.
func newLimits(p *plan) *limits {
	l := &limits{outerFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, ui: uiLimits}
	if p.private.Path == "" { // level privileged
		l.ui = 0
	}
	policy, b := &p.policy.Limits, &l.inner.BasicLimitInformation
	// Without the second flag a crash opens a dialog, and the process stays until a user clicks.
	b.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	if n, limited := policy.Pids.Value(); limited || !p.allowsSubprocess() {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		b.ActiveProcessLimit = uint32(min(n, math.MaxUint32))
		if !p.allowsSubprocess() {
			b.ActiveProcessLimit = 1
		}
	}
	if n, limited := policy.Memory.Value(); limited {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		l.inner.JobMemoryLimit = uintptr(n)
	}
	if n, limited := policy.CPUSeconds(runtime.NumCPU()); limited {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_TIME
		b.PerJobUserTimeLimit = n * 1e7 // in 100 ns
	}
	if milli, limited := policy.CPU.Value(); limited {
		if rate := milli * 10 / int64(runtime.NumCPU()); rate < 10000 {
			l.rate = uint32(max(1, rate))
		}
	}
	return l
}

// allowsSubprocess reports whether the server may start other processes.
func (p *plan) allowsSubprocess() bool {
	yes, _ := p.policy.Subprocess.Allow.Value()
	return yes
}
