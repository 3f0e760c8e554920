package matrix

import (
	"fmt"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A tally is what go test -v printed of the tests at the top.
type tally struct{ passed, failed, skipped []string }

func count(output string) (t tally) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line) // a skipped subtest counts as well
		for word, list := range map[string]*[]string{"--- PASS: ": &t.passed, "--- FAIL: ": &t.failed, "--- SKIP: ": &t.skipped} {
			if name, ok := strings.CutPrefix(line, word); ok {
				name, _, _ = strings.Cut(name, " ")
				*list = append(*list, name)
			}
		}
	}
	return t
}

// sections cuts a guest's output at its marks; what the kernel says before the first belongs to none.
func sections(output string) map[string]string {
	all, name := map[string]string{}, ""
	for line := range strings.Lines(output) {
		if step, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), job.Mark("")); ok {
			name = step
		} else if name != "" {
			all[name] += line
		}
	}
	return all
}

// TryHolds is the last line of a comparison that found no difference.
const TryHolds = "try: everything is as expected"

// Judge returns why a row did not pass; nil if it did. A step that never ran, a suite that ran no test, and a test that
// was skipped are reasons like any failure: the row says that this machine has what it takes.
func Judge(j *job.Job, s job.Status, output string) (reasons []string, tests int) {
	if !s.Done {
		reasons = append(reasons, "the guest did not come to its end")
	}
	reasons = append(reasons, s.Troubles...)
	text := sections(output)
	for _, step := range j.Steps {
		code, ran := s.Codes[step.Name]
		t := count(text[step.Name])
		tests += len(t.passed)
		switch {
		case !ran:
			reasons = append(reasons, step.Name+": never ran")
		case code != 0:
			reasons = append(reasons, fmt.Sprintf("%s: exit status %d %s", step.Name, code, strings.Join(t.failed, " ")))
		case step.Name == TryStep && !strings.Contains(text[step.Name], TryHolds):
			reasons = append(reasons, step.Name+": did not compare")
		case step.Name != TryStep && len(t.passed) == 0:
			reasons = append(reasons, step.Name+": ran no test")
		}
		if len(t.skipped) > 0 {
			reasons = append(reasons, step.Name+": skipped "+strings.Join(t.skipped, " "))
		}
	}
	return reasons, tests
}
