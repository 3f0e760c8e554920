package matrix

import (
	"fmt"
	"strings"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/job"
)

// A tally is what go test -v printed of how tests ended; a subtest counts as well.
type tally struct{ passed, failed, skipped []string }

func count(output string) (t tally) {
	for line := range strings.Lines(output) {
		switch name, how := testResult(line); how {
		case "":
		case pass:
			t.passed = append(t.passed, name)
		case skip:
			t.skipped = append(t.skipped, name)
		default:
			t.failed = append(t.failed, name)
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
			all[name] = ""
		} else if name != "" {
			all[name] += line
		}
	}
	return all
}

// Judge returns why a row did not pass; nil if it did. A step that never ran, a suite that ran no test, and a test
// that was skipped are reasons like any failure: the row says that this machine has what it takes. A reason is one
// line, and the output of its tests follows.
func Judge(j *job.Job, s job.Status, output string) (reasons []string, tests int) {
	text := sections(output)
	reasons = append(reasons, s.Troubles...)
	if !s.Done {
		reasons = append(reasons, unfinished(j, s, output))
	}
	var never []string
	for _, step := range j.Steps {
		code, ran := s.Codes[step.Name]
		t := count(text[step.Name])
		tests += len(t.passed)
		var wrong []string
		switch {
		case !ran:
			never = append(never, step.Name)
		case code != 0:
			wrong = append(wrong, strings.TrimSpace(fmt.Sprintln("exit status", code, strings.Join(t.failed, " "))))
		case len(t.passed) == 0:
			wrong = append(wrong, "ran no test")
		}
		if len(t.skipped) > 0 {
			wrong = append(wrong, "skipped "+strings.Join(t.skipped, " "))
		}
		if wrong != nil {
			first := step.Name + ": " + strings.Join(wrong, ", ")
			reasons = append(reasons, strings.Join(append([]string{first}, failures(text[step.Name])...), "\n"))
		}
	}
	if s.Done && never != nil {
		reasons = append(reasons, strings.Join(never, " ")+": never ran")
	}
	return reasons, tests
}

// unfinished says where a guest was when it was cut off, and its last lines.
func unfinished(j *job.Job, s job.Status, output string) string {
	where, text := "before the first step", output
	for _, step := range j.Steps {
		if printed, begun := sections(output)[step.Name]; begun {
			where, text = "in "+step.Name, printed
			if _, over := s.Codes[step.Name]; over {
				where = "after " + step.Name
			}
		}
	}
	lines := []string{"the guest did not come to its end, " + where}
	var last []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			last = append(last, line)
		}
		if strings.Contains(line, "Kernel panic") { // its call trace is longer than what is kept
			lines = append(lines, line)
		}
	}
	return strings.Join(append(lines, cut(last, 0, mostLines)...), "\n")
}
