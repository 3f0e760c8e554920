package platform

// This file: user ids in /proc/PID/uid_map (user_namespaces(7)) and in passwd(5).

import (
	"slices"
	"strconv"
	"strings"
)

// An IDRange is one line of /proc/PID/uid_map or gid_map; user_namespaces(7).
type IDRange struct{ Inside, Outside, Count uint64 }

// ParseIDMap reads a whole map. A line that is not three numbers makes it fail.
func ParseIDMap(b []byte) ([]IDRange, bool) {
	var ranges []IDRange
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return nil, false
		}
		var n [3]uint64
		for i := range n {
			v, err := strconv.ParseUint(f[i], 10, 32)
			if err != nil {
				return nil, false
			}
			n[i] = v
		}
		ranges = append(ranges, IDRange{n[0], n[1], n[2]})
	}
	return ranges, true
}

// Mapped reports whether id exists inside.
func Mapped(ranges []IDRange, id int) bool {
	return slices.ContainsFunc(ranges, func(r IDRange) bool {
		return uint64(id) >= r.Inside && uint64(id)-r.Inside < r.Count
	})
}

// HomesOf returns the home folders that a passwd file gives to some users; passwd(5).
func HomesOf(passwd string, uids ...int) (homes []string) {
	for line := range strings.SplitSeq(passwd, "\n") {
		f := strings.Split(line, ":")
		if len(f) < 6 || f[5] == "" {
			continue
		}
		if uid, err := strconv.Atoi(f[2]); err == nil && slices.Contains(uids, uid) {
			homes = append(homes, f[5])
		}
	}
	return homes
}
