package matrix

import (
	"fmt"
	"strings"
)

// A Result is how one row went. Skipped is why it was not run at all; a row that ran has none.
type Result struct {
	Row     string
	Reasons []string // against it; none if it passed
	Skipped string
}

// Summary is the last line of a run, and whether all is well: at least one row ran, and none of those that ran failed.
// Skipped rows are named with the reason, rows with the same one together.
func Summary(results []Result) (line string, ok bool) {
	var ran, passed, skipped int
	var whys []string
	rows := map[string][]string{}
	for _, r := range results {
		switch {
		case r.Skipped != "":
			skipped++
			if rows[r.Skipped] == nil {
				whys = append(whys, r.Skipped)
			}
			rows[r.Skipped] = append(rows[r.Skipped], r.Row)
		case len(r.Reasons) == 0:
			ran++
			passed++
		default:
			ran++
		}
	}
	line = fmt.Sprintf("%d rows run, %d passed, %d skipped", ran, passed, skipped)
	for _, why := range whys {
		line += "; " + strings.Join(rows[why], " ") + ": " + why
	}
	return line, ran > 0 && passed == ran
}
