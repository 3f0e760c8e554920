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
