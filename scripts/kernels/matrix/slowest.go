package matrix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// Slowest names the steps that took longest, and how long: "9-escape 31 s, 7-shim 15 s".
func Slowest(s job.Status, most int) string {
	var named []string
	slower := func(a, b string) int { return cmp.Compare(s.Seconds[b], s.Seconds[a]) }
	steps := slices.SortedFunc(maps.Keys(s.Seconds), slower)
	for _, name := range steps[:min(most, len(steps))] {
		named = append(named, fmt.Sprintf("%s %.0f s", name, s.Seconds[name]))
	}
	return strings.Join(named, ", ")
}
