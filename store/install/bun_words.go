package install

import (
	"strings"
)

// What bun says in an error.
var (
	bunCorrupted = pattern(`(?:Fail|IntegrityCheckFailed) extracting tarball from (\S+)`)
	bunRefused   = pattern(`GET (https?://\S+) - (40[134])`)
	bunOther     = pattern(`error: (\S+@(?:git|file|https?|link|workspace)[^ ]*:\S+) failed to resolve`)
)

// bunExplain makes a line of bun's last words.
func bunExplain(words string, j *job) string {
	if found := bunCorrupted().FindStringSubmatch(words); found != nil {
		return corrupted(found[1])
	}
	if found := bunOther().FindStringSubmatch(words); found != nil {
		return notServed(found[1])
	}
	if found := bunRefused().FindStringSubmatch(words); found != nil {
		return npmNoEntry([]string{found[0], found[2], found[1]}, j)
	}
	if strings.Contains(words, "ENOSPC") || strings.Contains(words, "NoSpaceLeft") {
		return "no room is left on the disk of the store"
	}
	for line := range strings.Lines(words) { // what follows says less
		if text, found := strings.CutPrefix(strings.TrimSpace(line), "error: "); found {
			return text
		}
	}
	return ""
}

// bunAwaited is unknown: bun says nothing of what it waits for.
func bunAwaited(string) string { return "" }
