package matrix

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Slowest names the steps of a guest that took longest, and how long: "9-escape 31 s, 7-supervise 15 s".
func Slowest(output string, most int) string {
	type step struct {
		name    string
		seconds float64
	}
	var steps []step
	for line := range strings.Lines(output) {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != "----" || f[2] != "took" || f[4] != "s" {
			continue
		}
		if seconds, err := strconv.ParseFloat(f[3], 64); err == nil {
			steps = append(steps, step{f[1], seconds})
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.seconds, a.seconds) })
	var named []string
	for _, s := range steps[:min(most, len(steps))] {
		named = append(named, fmt.Sprintf("%s %.0f s", s.name, s.seconds))
	}
	return strings.Join(named, ", ")
}
