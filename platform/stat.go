package platform

import (
	"bytes"
	"strconv"
)

// ParseStat reads the state and the parent of a process from its /proc/PID/stat; proc_pid_stat(5). The command's name
// stands in parentheses and may hold any byte, parentheses and spaces too.
func ParseStat(b []byte) (state byte, parent int, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return 0, 0, false
	}
	f := bytes.Fields(b[end+1:])
	if len(f) < 2 || len(f[0]) != 1 {
		return 0, 0, false
	}
	parent, err := strconv.Atoi(string(f[1]))
	return f[0][0], parent, err == nil
}

// ParseStart reads from the same file when the process started, in ticks since the boot: with its number it names one
// process for ever.
func ParseStart(b []byte) (ticks uint64, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[end+1:])
	const starttime = 22 - 3 // proc_pid_stat(5) counts from 1, and two fields are in front
	if end < 0 || len(f) <= starttime {
		return 0, false
	}
	ticks, err := strconv.ParseUint(string(f[starttime]), 10, 64)
	return ticks, err == nil
}

// ParseThreads reads from the same file how many threads the process has. The state of one with more than one
// is that of its first thread alone: it is Z where that one has ended and others run.
func ParseThreads(b []byte) (n int, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[end+1:])
	const threads = 20 - 3
	if end < 0 || len(f) <= threads {
		return 0, false
	}
	n, err := strconv.Atoi(string(f[threads]))
	return n, err == nil
}

// ParseGroup reads from the same file the process group and the session.
func ParseGroup(b []byte) (group, session int, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	if end < 0 {
		return 0, 0, false
	}
	f := bytes.Fields(b[end+1:])
	if len(f) < 4 {
		return 0, 0, false
	}
	group, err := strconv.Atoi(string(f[2]))
	if err == nil {
		session, err = strconv.Atoi(string(f[3]))
	}
	return group, session, err == nil
}
