package basic

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

// setJob and askJob move one structure into a job and out of it.
func setJob[T any](job windows.Handle, class uint32, v *T) error {
	_, err := windows.SetInformationJobObject(job, class, uintptr(unsafe.Pointer(v)), uint32(unsafe.Sizeof(*v)))
	runtime.KeepAlive(v)
	return err
}

func askJob[T any](job windows.Handle, class int32, v *T) error {
	err := windows.QueryInformationJobObject(job, class, uintptr(unsafe.Pointer(v)), uint32(unsafe.Sizeof(*v)), nil)
	runtime.KeepAlive(v)
	return err
}

// inJob asks whether a process is in a job, or in one nested in it.
func inJob(process, job windows.Handle) (bool, error) {
	var in int32
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("IsProcessInJob")
	if ok, _, err := ask.Call(uintptr(process), uintptr(job), uintptr(unsafe.Pointer(&in))); ok == 0 {
		return false, err
	}
	return in != 0, nil
}

// attachConsole makes the console of a process this process's too.
func attachConsole(pid int) error {
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if ok, _, err := attach.Call(uintptr(pid)); ok == 0 {
		return err
	}
	return nil
}

// freeConsole lets go of it.
func freeConsole() { windows.NewLazySystemDLL("kernel32.dll").NewProc("FreeConsole").Call() }

// hasConsole reports whether this process has a console.
func hasConsole() bool {
	cp, _, _ := windows.NewLazySystemDLL("kernel32.dll").NewProc("GetConsoleCP").Call()
	return cp != 0
}

// jobList is PROC_THREAD_ATTRIBUTE_JOB_LIST: the child is born in these jobs, the outermost first. Windows 10 and later.
const jobList = 0x0002000D

// create makes a suspended process that gets the handles and no others, in the job unless that is 0.
func create(app, line, dir *uint16, env []uint16, handles []windows.Handle, job windows.Handle, flags uint32) (pi windows.ProcessInformation, err error) {
	list, err := windows.NewProcThreadAttributeList(2)
	if err != nil {
		return pi, err
	}
	defer list.Delete()
	size := unsafe.Sizeof(handles[0])
	if err = list.Update(windows.PROC_THREAD_ATTRIBUTE_HANDLE_LIST, unsafe.Pointer(&handles[0]), uintptr(len(handles))*size); err != nil {
		return pi, err
	}
	jobs := []windows.Handle{job}
	if job != 0 {
		if err = list.Update(jobList, unsafe.Pointer(&jobs[0]), size); err != nil {
			return pi, err
		}
	}
	si := windows.StartupInfoEx{ProcThreadAttributeList: list.List()}
	si.Cb, si.Flags = uint32(unsafe.Sizeof(si)), windows.STARTF_USESTDHANDLES
	si.StdInput, si.StdOutput, si.StdErr = handles[0], handles[1], handles[2]
	flags |= windows.CREATE_SUSPENDED | windows.CREATE_UNICODE_ENVIRONMENT | windows.EXTENDED_STARTUPINFO_PRESENT
	err = windows.CreateProcess(app, line, nil, nil, true, flags, &env[0], dir, &si.StartupInfo, &pi)
	runtime.KeepAlive(jobs)
	return pi, err
}

// inheritable is the attribute of an object whose handle children may get.
func inheritable(sd *windows.SECURITY_DESCRIPTOR) *windows.SecurityAttributes {
	sa := &windows.SecurityAttributes{SecurityDescriptor: sd, InheritHandle: 1}
	sa.Length = uint32(unsafe.Sizeof(*sa))
	return sa
}

// peek asks a pipe for what is in it, without reading.
func peek(pipe windows.Handle) (unread uint32, err error) {
	ask := windows.NewLazySystemDLL("kernel32.dll").NewProc("PeekNamedPipe")
	if ok, _, err := ask.Call(uintptr(pipe), 0, 0, 0, uintptr(unsafe.Pointer(&unread)), 0); ok == 0 {
		return 0, err
	}
	return unread, nil
}
