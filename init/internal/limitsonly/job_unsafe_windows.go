package limitsonly

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/windows"
)

// cpuRate is JOBOBJECT_CPU_RATE_CONTROL_INFORMATION.
type cpuRate struct{ flags, rate uint32 }

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION; times are in units of 100 ns.
type accounting struct {
	user, kernel, periodUser, periodKernel int64
	faults, total, active, terminated      uint32
}

// processList is JOBOBJECT_BASIC_PROCESS_ID_LIST.
type processList struct {
	assigned, listed uint32
	pids             [512]uintptr
}

// setJob sets a structure of a job's, and queryJob reads one.
func setJob[T any](job windows.Handle, class uint32, v *T) error {
	_, err := windows.SetInformationJobObject(job, class, uintptr(unsafe.Pointer(v)), uint32(unsafe.Sizeof(*v)))
	runtime.KeepAlive(v)
	return err
}

func queryJob[T any](job windows.Handle, class int32, v *T) error {
	err := windows.QueryInformationJobObject(job, class, uintptr(unsafe.Pointer(v)), uint32(unsafe.Sizeof(*v)), nil)
	runtime.KeepAlive(v)
	return err
}

// kernel32 is a function of kernel32.dll.
func kernel32(function string) *windows.LazyProc {
	return windows.NewLazySystemDLL("kernel32.dll").NewProc(function)
}

// call calls a function that takes no pointers. The error is that of a function which returns 0.
func call(function string, args ...uintptr) error {
	if r, _, err := kernel32(function).Call(args...); r == 0 {
		return err
	}
	return nil
}

// inJob reports whether a process is in a job, or in one nested in it.
func inJob(process, job windows.Handle) (bool, error) {
	var in int32
	r, _, err := kernel32("IsProcessInJob").Call(uintptr(process), uintptr(job), uintptr(unsafe.Pointer(&in)))
	if r == 0 {
		return false, err
	}
	return in != 0, nil
}

// jobList is PROC_THREAD_ATTRIBUTE_JOB_LIST: the child is born in these jobs, the outermost first. Windows 10
// and later.
const jobList = 0x0002000D

// A creation is a request to CreateProcess.
type creation struct {
	app, line, dir *uint16
	env            []uint16
	handles        []windows.Handle // the process inherits no others
	job            windows.Handle   // the process is born in it; 0: in none
	flags          uint32
}

// create makes a suspended process.
func (c *creation) create() (pi windows.ProcessInformation, err error) {
	list, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return pi, err
	}
	defer list.Delete()
	size := unsafe.Sizeof(windows.Handle(0))
	first, bytes := unsafe.Pointer(&c.handles[0]), uintptr(len(c.handles))*size
	err = list.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, first, bytes)
	if err != nil {
		return pi, err
	}
	jobs := []windows.Handle{c.job}
	if c.job != 0 {
		if err = list.Update(jobList, unsafe.Pointer(&jobs[0]), size); err != nil {
			return pi, err
		}
	}
	si := windows.StartupInfoEx{ProcThreadAttributeList: list.List()}
	si.Cb, si.Flags = uint32(unsafe.Sizeof(si)), windows.STARTF_USESTDHANDLES
	si.StdInput, si.StdOutput, si.StdErr = c.handles[0], c.handles[1], c.handles[2]
	flags := c.flags | windows.CREATE_SUSPENDED |
		windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT
	err = windows.CreateProcess(c.app, c.line, nil, nil, true, flags, &c.env[0], c.dir, &si.StartupInfo, &pi)
	runtime.KeepAlive(jobs)
	return pi, err
}

// peek looks at a pipe without reading. It fails for a pipe that is read to its end and has no writer any more.
func peek(pipe windows.Handle) error { return call("PeekNamedPipe", uintptr(pipe), 0, 0, 0, 0, 0) }
