package cgroup

import (
	"errors"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// fill writes the settings into the server's group. None that holds is no group.
func (g *Group) fill() error {
	held := false
	for i := range g.Settings {
		s := &g.Settings[i]
		if s.Reason != "" {
			continue
		}
		if err := g.server.write(s.File, s.Value); err != nil {
			s.Reason = why(s.File, err)
			continue
		}
		held = true
	}
	if !held {
		return errors.New(g.Settings[0].Reason)
	}
	return nil
}

func why(file string, err error) string {
	if err == unix.ENOENT {
		return "this kernel has no " + file
	}
	return "write " + file + ": " + err.Error()
}

// lower makes the settings no weaker than those of the groups that the launcher is in and the server is not.
func (g *Group) lower(left []string) {
	for _, dir := range left {
		for i := range g.Settings {
			s := &g.Settings[i]
			if s.Reason != "" || !hasLess(s.File) {
				continue
			}
			b, err := platform.ReadSmall(dir+"/"+s.File, 4096)
			if err != nil {
				continue
			}
			if v := strings.TrimSpace(string(b)); less(s.File, v, s.Value) {
				s.Value, s.Want, s.Inherited = v, v, true
			}
		}
	}
}

func hasLess(file string) bool {
	return file == "memory.max" || file == "pids.max" || file == "cpu.max"
}

// less reports whether a limit is below another; "max" is none.
func less(file, a, b string) bool {
	switch file {
	case "memory.max", "pids.max":
		return number(a, 0) < number(b, 0)
	case "cpu.max": // a quota and its period
		return number(a, 0)*number(b, 1) < number(b, 0)*number(a, 1)
	}
	return false
}

// number is one of a line's numbers.
func number(line string, field int) float64 {
	if f := strings.Fields(line); field < len(f) {
		if n, err := strconv.ParseFloat(f[field], 64); err == nil {
			return n
		}
	}
	return 1e300
}
