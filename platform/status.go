package platform

import (
	"bytes"
	"strconv"
	"strings"
)

// statusField is a field of /proc/PID/status without its white space; proc_pid_status(5).
func statusField(status []byte, name string) (text string, ok bool) {
	_, after, ok := bytes.Cut(status, []byte("\n"+name+":"))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	return string(bytes.TrimSpace(line)), ok
}

// Pending is the mask of the signals pending for a process as a whole, from its /proc/PID/status.
func Pending(status []byte) (mask uint64, ok bool) {
	text, _ := statusField(status, "ShdPnd")
	mask, err := strconv.ParseUint(text, 16, 64)
	return mask, err == nil
}

// Process is the process id of a thread in the thread's own pid namespace, from its /proc/TID/status: the last number
// of NStgid, which has a number for each pid namespace from the reader's on.
func Process(status []byte) (pid int, ok bool) {
	text, _ := statusField(status, "NStgid")
	n, err := strconv.ParseUint(text[strings.LastIndexByte(text, '\t')+1:], 10, 31)
	return int(n), err == nil && n > 0
}

// Filters is the number of a thread's seccomp filters, from its /proc/PID/status. Linux before 5.9 does not show it.
func Filters(status []byte) (n int, ok bool) {
	text, _ := statusField(status, "Seccomp_filters")
	n, err := strconv.Atoi(text)
	return n, err == nil
}

// NoNewPrivs is a process's no_new_privs, from its /proc/PID/status. Linux before 4.10 does not show it.
func NoNewPrivs(status []byte) (set, ok bool) {
	text, ok := statusField(status, "NoNewPrivs")
	return text == "1", ok && text != ""
}

// umask is a process's file mode creation mask, from its /proc/PID/status. gVisor does not show it.
func umask(status []byte) (mask int, ok bool) {
	text, _ := statusField(status, "Umask")
	n, err := strconv.ParseUint(text, 8, 9)
	return int(n), err == nil
}
