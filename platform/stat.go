package platform

import (
	"bytes"
	"errors"
	"strconv"
)

// A Stat is a part of /proc/PID/stat; proc_pid_stat(5).
type Stat struct {
	State   byte // of the first thread alone: Z where that one has ended and others run
	Parent  int
	Group   int
	Session int
	Threads int
	Start   uint64 // in ticks since the boot: with the process's number it names one process for ever
}

// ParseStat reads /proc/PID/stat. The command's name stands in parentheses and may hold any byte, parentheses and
// spaces too.
func ParseStat(b []byte) (s Stat, ok bool) {
	end := bytes.LastIndexByte(b, ')')
	f := bytes.Fields(b[end+1:]) // from field 3 on
	const start = 22 - 3
	if end < 0 || len(f) <= start || len(f[0]) != 1 {
		return s, false
	}
	s.State = f[0][0]
	var errs [5]error
	for i, n := range [...]struct {
		field int
		to    *int
	}{{4, &s.Parent}, {5, &s.Group}, {6, &s.Session}, {20, &s.Threads}} {
		*n.to, errs[i] = strconv.Atoi(string(f[n.field-3]))
	}
	s.Start, errs[4] = strconv.ParseUint(string(f[start]), 10, 64)
	return s, errors.Join(errs[:]...) == nil
}
