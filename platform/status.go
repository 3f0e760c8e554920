package platform

import (
	"bytes"
	"strconv"
)

// Pending reads from /proc/PID/status which signals wait for the process as a whole, as a mask; proc_pid_status(5).
func Pending(status []byte) (mask uint64, ok bool) {
	const name = "\nShdPnd:"
	i := bytes.Index(status, []byte(name))
	if i < 0 {
		return 0, false
	}
	line, _, _ := bytes.Cut(status[i+len(name):], []byte("\n"))
	mask, err := strconv.ParseUint(string(bytes.TrimSpace(line)), 16, 64)
	return mask, err == nil
}

// Process reads from /proc/TID/status the id of the thread's process, as that process itself sees it: the last of NStgid,
// which has one for each pid namespace from the reader's on; proc_pid_status(5).
func Process(status []byte) (pid int, ok bool) {
	const name = "\nNStgid:"
	i := bytes.Index(status, []byte(name))
	if i < 0 {
		return 0, false
	}
	line, _, _ := bytes.Cut(status[i+len(name):], []byte("\n"))
	ids := bytes.Fields(line)
	if len(ids) == 0 {
		return 0, false
	}
	n, err := strconv.ParseUint(string(ids[len(ids)-1]), 10, 31)
	return int(n), err == nil && n > 0
}

// A Mapping is one line of /proc/PID/maps; proc_pid_maps(5).
type Mapping struct {
	FileID        // Ino 0: no file
	Path   string // a newline in it is \012
	Shared bool   // with all who map the file
	Writes bool   // what is written there is written to the file; of a table that does not say so: what can be written now
}

// ParseMaps reads the whole of it, or of /proc/PID/smaps: that tells of a shared mapping too whether it could be made writable.
func ParseMaps(b []byte) (maps []Mapping, ok bool) {
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		if !whole {
			return nil, false
		}
		b = rest
		name, flags, told := bytes.Cut(line, []byte(":"))
		if told && len(name) > 0 && 'A' <= name[0] && name[0] <= 'Z' { // of smaps: VmFlags and others
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

// parseMapping reads: start-end perms offset major:minor inode [path]
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
	m = Mapping{FileID: FileID{Dev: hi<<32 | lo, Ino: ino}, Shared: f[1][3] == 's', Writes: f[1][3] == 's' && f[1][1] == 'w'}
	if len(f) == 6 {
		m.Path = string(bytes.TrimLeft(f[5], " "))
	}
	return m, true
}

// Filters reads from /proc/PID/status how many seccomp filters a thread has. Kernels before 5.9 do not say.
func Filters(status []byte) (n int, ok bool) {
	const name = "\nSeccomp_filters:"
	i := bytes.Index(status, []byte(name))
	if i < 0 {
		return 0, false
	}
	line, _, _ := bytes.Cut(status[i+len(name):], []byte("\n"))
	n, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	return n, err == nil
}

// NoNewPrivs reads from /proc/PID/status whether a process can gain rights no more. Kernels before 4.10 do not say.
func NoNewPrivs(status []byte) (held, ok bool) {
	const name = "\nNoNewPrivs:\t"
	i := bytes.Index(status, []byte(name))
	if i < 0 || i+len(name) >= len(status) {
		return false, false
	}
	return status[i+len(name)] == '1', true
}
