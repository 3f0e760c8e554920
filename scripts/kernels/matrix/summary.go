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

// Failed is the summary before a run's last line: each failed row with its reasons.
func Failed(results []Result) string {
	var b strings.Builder
	for _, r := range results {
		if len(r.Reasons) > 0 {
			fmt.Fprintf(&b, "kernels: %s: FAILED\n", r.Row)
			for _, reason := range r.Reasons {
				fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(reason, "\n", "\n        "))
			}
		}
	}
	return b.String()
}

// Summary is the last line of a run, and whether all is well: at least one row ran, and none of those that ran failed.
// Rows that failed are named, and skipped ones with the reason, those with the same one together.
func Summary(results []Result) (line string, ok bool) {
	var ran, passed, skipped int
	var whys, failed []string
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
			failed = append(failed, r.Row)
		}
	}
	line = fmt.Sprintf("%d rows run, %d passed, %d skipped", ran, passed, skipped)
	if failed != nil {
		line += "; FAILED: " + strings.Join(failed, " ")
	}
	for _, why := range whys {
		line += "; " + strings.Join(rows[why], " ") + ": " + why
	}
	return line, ran > 0 && passed == ran
}
