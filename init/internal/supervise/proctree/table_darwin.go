package proctree

import "golang.org/x/sys/unix"

// The states of sys/proc.h that a [Process] tells apart.
const (
	stopped = 4 // SSTOP
	zombie  = 5 // SZOMB
)

// Table reads all processes; sysctl(3), KERN_PROC_ALL.
func Table() []Process {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make([]Process, len(list))
	for i := range list {
		p := &list[i]
		all[i] = Process{PID: int(p.Proc.P_pid), Parent: int(p.Eproc.Ppid), Group: int(p.Eproc.Pgid), state: 'R',
			Start: uint64(p.Proc.P_starttime.Sec)*1e6 + uint64(p.Proc.P_starttime.Usec)}
		all[i].Session, _ = unix.Getsid(all[i].PID)
		switch p.Proc.P_stat {
		case stopped:
			all[i].state = 'T'
		case zombie:
			all[i].state = 'Z'
		}
	}
	return all
}
