package basic

import (
	"math"
	"runtime"

	"golang.org/x/sys/windows"
)

// A Hold is what Job Objects hold the server by. There are two, one nested in the other: the shim is in the outer one too, so
// that whatever it starts ends with it, and the limits are the inner one's, for the number of processes would count the shim.
type Hold struct {
	// Limits are the inner job's; Outer the flags of the other.
	Limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	Outer  uint32
	// UI are the restrictions of JOBOBJECT_BASIC_UI_RESTRICTIONS.
	UI uint32
	// Rate is the share of all processors' time in hundredths of a percent; 0 for no limit.
	Rate uint32
}

// uiLimits keep a server from the clipboard, from other programs' windows and atoms, from the display and from ending the
// session.
const uiLimits = windows.JOB_OBJECT_UILIMIT_DESKTOP | windows.JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | windows.JOB_OBJECT_UILIMIT_EXITWINDOWS |
	windows.JOB_OBJECT_UILIMIT_GLOBALATOMS | windows.JOB_OBJECT_UILIMIT_HANDLES | windows.JOB_OBJECT_UILIMIT_READCLIPBOARD |
	windows.JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | windows.JOB_OBJECT_UILIMIT_WRITECLIPBOARD

// newHold is what follows from the policy. No flag allows a process to break away.
func newHold(p *plan) (*Hold, error) {
	h := &Hold{Outer: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, UI: uiLimits}
	if p.private == "" { // level privileged
		h.UI = 0
	}
	b := &h.Limits.BasicLimitInformation
	// Without the second flag a crash would show a dialog, and the process stay until somebody clicks.
	b.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
	if n, limited := p.limits.Pids.Value(); limited || !p.subprocess {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
		b.ActiveProcessLimit = uint32(min(n, math.MaxUint32))
		if !p.subprocess {
			b.ActiveProcessLimit = 1
		}
	}
	if n, limited := p.limits.Memory.Value(); limited {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_MEMORY
		h.Limits.JobMemoryLimit = uintptr(n)
	}
	if n, limited := p.limits.CPUSeconds(runtime.NumCPU()); limited {
		b.LimitFlags |= windows.JOB_OBJECT_LIMIT_JOB_TIME
		b.PerJobUserTimeLimit = n * 1e7 // in 100 ns
	}
	if milli, limited := p.limits.CPU.Value(); limited {
		if rate := milli * 10 / int64(runtime.NumCPU()); rate < 10000 {
			h.Rate = uint32(max(1, rate))
		}
	}
	return h, nil
}

// job makes one with limits, and ends every process in it with its last handle, if the limits say so.
func job(limits *windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) (windows.Handle, error) {
	j, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	if err = setJob(j, windows.JobObjectExtendedLimitInformation, limits); err != nil {
		windows.CloseHandle(j)
		return 0, err
	}
	return j, nil
}

// tells reports whether this system tells what limits a job has. Wine 8 takes any and tells none.
func tells() bool {
	var want, got windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	want.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	want.BasicLimitInformation.ActiveProcessLimit = 7
	j, err := job(&want)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(j)
	err = askJob(j, windows.JobObjectExtendedLimitInformation, &got)
	return err == nil && got.BasicLimitInformation.ActiveProcessLimit == 7
}
