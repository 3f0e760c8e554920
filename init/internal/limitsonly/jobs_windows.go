package limitsonly

import (
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/windows"
)

// jobs are the two Job Objects of a launch.
type jobs struct {
	outer, inner windows.Handle
	refused      []order.Fact // of limits that the system refused to set
}

// open makes the jobs, and puts this process into the outer one. The error names the step.
func (j *jobs) open(l *limits) (op string, err error) {
	var outer windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	outer.BasicLimitInformation.LimitFlags = l.outerFlags
	if j.outer, err = newJob(&outer); err == nil {
		err = windows.AssignProcessToJobObject(j.outer, windows.CurrentProcess())
	}
	if err != nil {
		return "make the outer job", err
	}
	if j.inner, err = newJob(&l.inner); err != nil {
		return "make the inner job", err
	}
	if l.rate > 0 {
		const enable, hardCap = 1, 4
		rate := cpuRate{enable | hardCap, l.rate}
		if err := setJob(j.inner, windows.JobObjectCpuRateControlInformation, &rate); err != nil {
			j.refuse("cpu rate", err, "the rate of processor time is not limited")
		}
	}
	if l.ui != 0 {
		if err := setJob(j.inner, windows.JobObjectBasicUIRestrictions, &l.ui); err != nil {
			j.refuse("user interface", err, uiEffect)
		}
	}
	return "", nil
}

const uiEffect = "the clipboard and other programs' windows can be reached"

// refuse notes a limit that the system refused to set.
func (j *jobs) refuse(name string, err error, effect string) {
	j.refused = append(j.refused, order.Fact{Name: name, Want: "a limit", Reason: err.Error(), Effect: effect})
}

// newJob makes a job with limits. The job ends all its processes with its last handle, if the limits say so.
func newJob(limits *windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION) (windows.Handle, error) {
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

// reportsLimits reports whether this system reports the limits that a job has. Wine 8 takes any and reports none.
func reportsLimits() bool {
	var want, got windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	want.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_ACTIVE_PROCESS
	want.BasicLimitInformation.ActiveProcessLimit = 7
	j, err := newJob(&want)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(j)
	err = queryJob(j, windows.JobObjectExtendedLimitInformation, &got)
	return err == nil && got.BasicLimitInformation.ActiveProcessLimit == 7
}

// kill ends all processes of the inner job, and returns how many there were.
func (j *jobs) kill() int {
	if len(j.members()) == 0 {
		return 0
	}
	n := j.living()
	windows.TerminateJobObject(j.inner, killed)
	for end := time.Now().Add(2 * time.Second); len(j.members()) > 0 && time.Now().Before(end); {
		time.Sleep(2 * time.Millisecond)
	}
	return n
}

// members are the processes in the inner job, as many as the list has room for.
func (j *jobs) members() []uintptr {
	var l processList
	if j.inner == 0 {
		return nil
	}
	err := queryJob(j.inner, windows.JobObjectBasicProcessIdList, &l)
	if err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	return l.pids[:min(int(l.listed), len(l.pids))]
}

// living counts the server and the processes that it started.
func (j *jobs) living() (n int) {
	for _, pid := range j.members() {
		if isLiving(uint32(pid)) {
			n++
		}
	}
	return n
}

// isLiving reports whether a process runs and is not the host of a console, which is the system's. A process that
// cannot be asked runs.
func isLiving(pid uint32) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return err != windows.ERROR_INVALID_PARAMETER
	}
	defer windows.CloseHandle(h)
	if r, err := windows.WaitForSingleObject(h, 0); err == nil && r == windows.WAIT_OBJECT_0 {
		return false
	}
	b := make([]uint16, windows.MAX_PATH)
	n := uint32(len(b))
	if windows.QueryFullProcessImageName(h, 0, &b[0], &n) != nil {
		return true
	}
	return !strings.HasSuffix(strings.ToLower(windows.UTF16ToString(b[:n])), `\conhost.exe`)
}
