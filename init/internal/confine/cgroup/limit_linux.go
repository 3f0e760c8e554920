package cgroup

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// writeSettings writes the settings into the server's group. The error means that the kernel took no setting.
func writeSettings(server *folder, list []Setting) error {
	written := false
	for i := range list {
		s := &list[i]
		if s.Reason != "" {
			continue
		}
		if err := server.write(s.File, s.Value); err != nil {
			if s.Reason = "write " + s.File + ": " + err.Error(); err == unix.ENOENT {
				s.Reason = "this kernel has no " + s.File
			}
			continue
		}
		written = true
	}
	if !written {
		return errors.New(list[0].Reason)
	}
	return nil
}

// inheritLimits lowers settings to the limits of the groups that the launcher is in and the server is not.
func inheritLimits(list []Setting, left []parentGroup) {
	for _, group := range left {
		for i := range list {
			s := &list[i]
			if s.Reason != "" {
				continue
			}
			b, err := platform.ReadSmall(group.dir+"/"+s.File, 4096)
			if err != nil {
				continue
			}
			if v := strings.TrimSpace(string(b)); less(s.File, v, s.Value) {
				s.Value, s.Want, s.Inherited = v, v, true
			}
		}
	}
}

// less reports whether a limit is lower than another. "max" is no limit. Files without a number are never lower.
func less(file, a, b string) bool {
	switch file {
	case "memory.max", "pids.max":
		return number(a, 0) < number(b, 0)
	case "cpu.max": // quota and period
		return number(a, 0)*number(b, 1) < number(b, 0)*number(a, 1)
	}
	return false
}

// number is a field of a line as a number; "max" is very high.
func number(line string, field int) float64 {
	if f := strings.Fields(line); field < len(f) {
		if n, err := strconv.ParseFloat(f[field], 64); err == nil {
			return n
		}
	}
	return 1e300
}
