package main

import (
	"fmt"
	"regexp"
)

// logged is a line by which a test says what is wrong: FILE:LINE: and its words.
var logged = regexp.MustCompile(`(?m)^\s+[\w./-]+\.go:\d+: (.*)$`)

// reasons are the words of a test whose bound expired, or whose machine refused it something that is not the product's.
var reasons = regexp.MustCompile(
	`(did not come|was never seen|it never stopped|the report does not begin|nothing happened for \d+ s)$` +
		`|(context deadline exceeded|i/o timeout)$|: bind: address already in use$|: cannot allocate memory$` +
		`|fork/exec .*: resource temporarily unavailable$`)

// never are the packages and tests of which one failure in fifty is the finding: acts that must be refused, how a
// sandbox ends, descriptors that leak, hosts by name, and calls that are taken away.
var never = regexp.MustCompile(`/init/internal/(test/(escape|endings|egress|publish|resources|listener|lasting)` +
	`|egress|confine/(layers|streams)|supervise/(relay|proctree|shim|coverwatch)|limitsonly)\b` +
	`|/init/reexec\b|/launcher\b` +
	`|(?i:escape|denial|denied|ending|killed|anymoment|leftbehind|zombie|orphan|descriptor|leak|missed|sabotage|swap)`)

// broken is a test binary that is not to be trusted any more.
var broken = regexp.MustCompile(`WARNING: DATA RACE|panic: |fatal error: |SIGSEGV`)

// Verdict says why a failed test is not run again, or nothing. of are the test and those below it that failed: all that
// they log must be reasons.
func Verdict(pkg, name string, of tests) (against string) {
	if name == "" || len(of) == 0 {
		return "no test of that name failed by itself"
	}
	if never.MatchString(pkg + " " + name) {
		return "of such a test one failure in fifty is the finding"
	}
	found := false
	for _, t := range of {
		if broken.MatchString(t.Output) {
			return t.Name + " has a data race or a panic"
		}
		for _, line := range logged.FindAllStringSubmatch(t.Output, -1) {
			if !reasons.MatchString(line[1]) {
				return fmt.Sprintf("%s: no bound expired, and the machine refused nothing", t.Name)
			}
			found = true
		}
	}
	if !found {
		return name + " does not say why it failed"
	}
	return ""
}
