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

// A Mapping is one line of /proc/PID/maps; proc_pid_maps(5).
type Mapping struct {
	FileID        // Ino 0: the mapping has no file
	Path   string // a newline is shown as \012
	Shared bool   // MAP_SHARED
	Writes bool   // the process can write to the file: now, or in smaps also after mprotect(2)
}

// ParseMaps parses /proc/PID/maps or /proc/PID/smaps. Only smaps shows that a shared mapping could be made writable.
func ParseMaps(b []byte) (maps []Mapping, ok bool) {
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole {
			return nil, false
		}
		b = rest
		name, flags, isField := bytes.Cut(line, []byte(":"))
		if isField && len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z' { // VmFlags and other fields of smaps
			if string(name) == "VmFlags" && len(maps) > 0 {
				m := &maps[len(maps)-1]
				m.Writes = m.Shared && bytes.Contains(append(flags, ' '), []byte(" sh "))
			}
			continue
		}
		m, ok := parseMapping(line)
		if !ok {
			return nil, false
		}
		maps = append(maps, m)
	}
	return maps, true
}

// parseMapping parses "start-end perms offset major:minor inode [path]".
func parseMapping(line []byte) (m Mapping, ok bool) {
	f := bytes.SplitN(line, []byte(" "), 6)
	if len(f) < 5 || len(f[1]) != 4 {
		return m, false
	}
	major, minor, both := bytes.Cut(f[3], []byte(":"))
	hi, err1 := strconv.ParseUint(string(major), 16, 32)
	lo, err2 := strconv.ParseUint(string(minor), 16, 32)
	ino, err3 := strconv.ParseUint(string(f[4]), 10, 64)
	if !both || err1 != nil || err2 != nil || err3 != nil {
		return m, false
	}
	shared := f[1][3] == 's'
	m = Mapping{FileID: FileID{Dev: hi<<32 | lo, Ino: ino}, Shared: shared, Writes: shared && f[1][1] == 'w'}
	if len(f) == 6 {
		m.Path = string(bytes.TrimLeft(f[5], " "))
	}
	return m, true
}
