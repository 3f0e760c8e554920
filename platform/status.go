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

// A Mapping is one line of /proc/PID/maps; proc_pid_maps(5).
type Mapping struct {
	Dev  uint64 // of the file's file system, major<<32 | minor
	Ino  uint64 // 0: no file
	Path string
}

// ParseMaps reads the whole of it.
func ParseMaps(b []byte) (maps []Mapping, ok bool) {
	for len(b) > 0 {
		line, rest, whole := bytes.Cut(b, []byte("\n"))
		f := bytes.SplitN(line, []byte(" "), 6)
		if !whole || len(f) < 5 {
			return nil, false
		}
		b = rest
		major, minor, both := bytes.Cut(f[3], []byte(":"))
		hi, err1 := strconv.ParseUint(string(major), 16, 32)
		lo, err2 := strconv.ParseUint(string(minor), 16, 32)
		ino, err3 := strconv.ParseUint(string(f[4]), 10, 64)
		if !both || err1 != nil || err2 != nil || err3 != nil {
			return nil, false
		}
		m := Mapping{Dev: hi<<32 | lo, Ino: ino}
		if len(f) == 6 {
			m.Path = string(bytes.TrimLeft(f[5], " "))
		}
		maps = append(maps, m)
	}
	return maps, true
}
