package install

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// A pnpmLine is a line of `--reporter=ndjson`.
type pnpmLine struct {
	Name, Level, Status, PackageID, Message, Msg string
	Err                                          struct{ Code, Message string }
}

// pnpmLines are the lines that are JSON.
func pnpmLines(words string) (all []pnpmLine) {
	for text := range strings.Lines(words) {
		var l pnpmLine
		if json.Unmarshal([]byte(text), &l) == nil {
			all = append(all, l)
		}
	}
	return all
}

// What pnpm says in an error, of version 9 to 12.
var (
	pnpmCorrupted = pattern(`(?:verify the integrity of |unexpected checksum for ")(https?://[^"\s]+)`)
	pnpmRefused   = pattern(`GET (https?://\S+): [A-Za-z ]+ - (40[134])`)
	pnpmStatus    = pattern(`(https?://[^\s"()]+?)(?:/latest)?:? .*client error \((40[134]) `)
	pnpmGit       = pattern(`git dependency "([^"]+)"|git ls-remote (\S+)`)
	pnpmFolder    = pattern(`Could not install from "[^"]*/([^"/]+)"`)
	pnpmURL       = pattern(`for url \((https?://[^)\s]+)\)`)
)

// pnpmExplain makes a line of the last error that pnpm reports.
func pnpmExplain(words string, j *job) string {
	text, code := "", ""
	for _, l := range pnpmLines(words) {
		if l.Level == "error" {
			text, code = first(l.Err.Message, l.Message, l.Msg), l.Err.Code
		}
	}
	text, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if strings.HasSuffix(text, ":") {
		more, _, _ = strings.Cut(strings.TrimSpace(more), "\n")
		text += " " + strings.TrimSpace(more)
	}
	const only = ": only what a registry serves is installed"
	if found := pnpmCorrupted().FindStringSubmatch(text); found != nil {
		if u, err := url.Parse(strings.TrimSuffix(found[1], ":")); err == nil {
			return corrupted(npmNameAt(u))
		}
	}
	if found := pnpmRefused().FindStringSubmatch(text); found != nil {
		return npmNoEntry([]string{found[0], found[2], found[1]}, j)
	}
	if found := pnpmStatus().FindStringSubmatch(text); found != nil {
		return npmNoEntry([]string{found[0], found[2], found[1]}, j)
	}
	if found := pnpmGit().FindStringSubmatch(text); found != nil {
		return "a dependency comes by git from " + redact(first(found[1:]...)) + only
	}
	if found := pnpmFolder().FindStringSubmatch(text); found != nil {
		return "a dependency is a folder or file (" + found[1] + ")" + only
	}
	if found := pnpmURL().FindStringSubmatch(text); found != nil && j.settings.serving(found[1]) == "" {
		return "a dependency comes from " + redact(found[1]) + only
	}
	if strings.Contains(words, "ENOSPC") || strings.Contains(words, "No space left on device") {
		return "no room is left on the disk of the store"
	}
	if code != "" && text != "" {
		text = strings.TrimSuffix(text, ".") + " (" + code + ")"
	}
	return text
}

// corrupted is the refusal of an archive with another hash.
func corrupted(name string) string {
	return "the archive of " + name + " has not the hash that its registry says: it was changed or cut off on its way"
}

// pnpmAwaited is the first package whose archive has not come. Of a registry that does not answer what versions there
// are pnpm says nothing.
func pnpmAwaited(words string) string {
	var open []string
	for _, l := range pnpmLines(words) {
		at := slices.Index(open, l.PackageID)
		switch {
		case l.PackageID == "":
		case l.Status == "resolved" && at < 0:
			open = append(open, l.PackageID)
		case (l.Status == "fetched" || l.Status == "found_in_store") && at >= 0:
			open = slices.Delete(open, at, at+1)
		}
	}
	if len(open) == 0 {
		return ""
	}
	i := strings.LastIndex(open[0], "@")
	return "the archive of " + open[0][:max(i, 0)]
}
