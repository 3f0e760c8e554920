package matrix

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const pass, skip = "PASS", "SKIP"

// What is kept of a failure, so that all of a run can stand at its end. The whole output is printed before.
const (
	mostTests = 12  // of a step
	mostLines = 10  // of a test
	mostBytes = 400 // of a line
)

// failures says in few lines why a step failed: each test that did, or was skipped, with its output; what made the
// program end; or else its last lines.
func failures(text string) (lines []string) {
	var all, ends []string
	output, last := map[string][]string{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || strings.HasPrefix(line, "---- ") {
			continue
		}
		all = append(all, line)
		if name, ok := now(line); ok {
			last = name
		} else if name, how := testResult(line); how != "" {
			if last = name; how != pass {
				ends = append(ends, line)
			}
		} else if died(line) {
			ends, last = append(ends, line), line // the panic's own lines follow it
		} else if line != "FAIL" {
			output[last] = append(output[last], line)
		}
	}
	if len(ends) == 0 {
		return cut(all, 0, mostLines)
	}
	for i, end := range ends {
		if i == mostTests {
			return append(lines, fmt.Sprintf("… and %d more", len(ends)-i))
		}
		name, _ := testResult(end)
		if died(end) {
			lines = append(append(lines, cut([]string{end}, 0, 1)...), cut(output[end], mostLines, 0)...)
		} else {
			lines = append(append(lines, strings.TrimSpace(end)), cut(output[name], mostLines/2, mostLines/2)...)
		}
	}
	return lines
}

// The lines of go test -v that say to which test the next lines belong, and how a test ended.
var (
	nowLine   = regexp.MustCompile(`^=== (?:RUN|CONT|NAME|PAUSE) +(\S+)`)
	endedLine = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+)`)
)

// now is the test to which the next lines belong.
func now(line string) (test string, ok bool) {
	found := nowLine.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// testResult is the test that a line says how it ended.
func testResult(line string) (test, how string) {
	found := endedLine.FindStringSubmatch(line)
	if found == nil {
		return "", ""
	}
	return found[2], found[1]
}

// died is about lines with which Go's runtime begins to say why it ends a program.
func died(line string) bool {
	return strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")
}

// cut keeps the first and the last lines, and the beginning of each.
func cut(lines []string, first, last int) []string {
	if left := len(lines) - first - last; left > 1 {
		kept := slices.Clone(lines[:first])
		if first > 0 {
			kept = append(kept, fmt.Sprintf("    … %d lines", left))
		}
		lines = append(kept, lines[len(lines)-last:]...)
	}
	short := make([]string, len(lines))
	for i, line := range lines {
		if short[i] = line; len(line) > mostBytes {
			end := mostBytes
			for !utf8.RuneStart(line[end]) {
				end--
			}
			short[i] = line[:end] + "…"
		}
	}
	return short
}

// Quiet is a guest's output without the lines about tests of which there is nothing else to say.
func Quiet(output string) string {
	var b strings.Builder
	begun := ""
	for line := range strings.Lines(output) {
		if _, ok := now(line); ok {
			begun = line
			continue
		}
		if _, how := testResult(line); how != "" {
			if begun = ""; how == pass {
				continue
			}
		}
		b.WriteString(begun + line)
		begun = ""
	}
	return b.String()
}
