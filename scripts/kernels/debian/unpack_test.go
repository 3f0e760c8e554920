package debian

import "testing"

// What is installed meanwhile changes nothing of a package's candidate.
func TestCandidates(t *testing.T) {
	const before = "runc:\n  Installed: (none)\n  Candidate: 1.1.5+ds1-1\n  Version table:\n     1.1.5+ds1-1 500\n        500 http://deb.debian.org/debian bookworm/main amd64 Packages\n"
	const after = "runc:\n  Installed: 1.1.5+ds1-1\n  Candidate: 1.1.5+ds1-1\n  Version table:\n *** 1.1.5+ds1-1 500\n"
	const want = "runc:\n  Candidate: 1.1.5+ds1-1\n"
	if got := candidates(before); got != want || got != candidates(after) {
		t.Errorf("%q and %q, want %q", got, candidates(after), want)
	}
}
