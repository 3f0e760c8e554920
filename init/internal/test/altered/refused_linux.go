package altered

import (
	"strings"
	"testing"
	"time"
)

// Refused makes a launch that has to be refused, with one record that says why and a server that has not run.
func (s Stage) Refused(t *testing.T, l Launch, mark string) {
	t.Helper()
	l.Timeout = patience(l.Line)
	o := Run(t, l)
	if o.Code == 125 && o.Event() == "refused" && len(o.Report) == 1 && !s.Ran(&o, mark) {
		return
	}
	// With minConfinement written out a server whose sockets cannot be made starts all the same, and reaches no host.
	if o.Code == 0 && strings.Contains(o.Stderr, "nothing holds network.allowedDomains (the server has no network)") {
		return
	}
	t.Errorf("not missed: %s\ncode %d, said %q, %s\n%s", l.Line, o.Code, o.Stdout, o.Event(), o.Stderr)
}

// patience is how long a launch without a call may take: init or the server may wait for ever. Without two calls they
// do, so that a shorter wait tells as much: which process traces the server, and which address a question over IPv6
// came to. A whole launch takes a tenth of a second.
func patience(without string) time.Duration {
	if strings.Contains(without, " ptrace(0, ") || strings.Contains(without, ", 41, 49, ") {
		return 2 * time.Second
	}
	return 5 * time.Second
}
