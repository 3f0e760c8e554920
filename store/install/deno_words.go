package install

import (
	"net/url"
	"strings"
	"time"
)

// What deno says.
var (
	denoCorrupted = pattern(`checksum did not match what was provided by npm registry for (\S+)@`)
	denoOther     = pattern(`for dependency "([^"]+)": "([^"]+)"\s+(?:0: )?Package specified a dependency outside`)
	denoMissing   = pattern(`npm package '([^']+)' does not exist`)
	denoRefused   = pattern(`(?s)(https?://\S+?)[):;,]*\s.{0,200}?(?:Bad response: |status: )(40[134])\b`)
	denoURL       = pattern(`https?://([^/\s"]+)`)
	denoAsks      = pattern(`^Download (https?://\S+)$`)
)

// denoExplain makes a line of deno's last words.
func denoExplain(words string, j *job) string {
	if found := denoCorrupted().FindStringSubmatch(words); found != nil {
		return corrupted(found[1])
	}
	if found := denoOther().FindStringSubmatch(words); found != nil {
		return notServed(found[1] + "@" + found[2])
	}
	if found := denoMissing().FindStringSubmatch(words); found != nil {
		if u, err := url.Parse(j.settings.of(found[1])); err == nil { // "../x" is a name for deno, and stays one
			return npmNotGiven(found[1], "404", u.Host, j)
		}
	}
	if strings.Contains(words, "os error 28") {
		return "no room is left on the disk of the store"
	}
	if strings.Contains(words, "invalid peer certificate: UnknownIssuer") {
		return "deno does not know who signed the certificate of " + denoHost(words) + ": set " + denoStores +
			"=system, or DENO_CERT to a file with that authority"
	}
	_, text, found := strings.Cut(words, "error: ")
	if !found {
		return ""
	}
	if found := denoRefused().FindStringSubmatch(text); found != nil {
		return npmNoEntry([]string{found[0], found[2], found[1]}, j)
	}
	first, rest, _ := strings.Cut(text, "\n")
	if strings.Contains(rest, "minimum dependency date") && !j.before.IsZero() {
		first = strings.TrimSuffix(first, ".")
		return first + ": --min-age demands " + j.before.UTC().Format(time.DateTime) + " or earlier"
	}
	if cause, _, _ := strings.Cut(strings.TrimSpace(rest), "\n"); strings.HasPrefix(cause, "0: ") {
		first += ": " + cause[len("0: "):]
	}
	return first
}

// denoHost is the host that deno asked last.
func denoHost(words string) string {
	all := denoURL().FindAllStringSubmatch(words, -1)
	if len(all) == 0 {
		return "a registry"
	}
	return all[len(all)-1][1]
}

// denoAwaited is what deno asked for last: deno does not say what has come.
func denoAwaited(words string) string {
	last := ""
	for line := range strings.Lines(words) {
		found := denoAsks().FindStringSubmatch(strings.TrimSpace(line))
		if found == nil {
			continue
		}
		if u, err := url.Parse(found[1]); err == nil {
			if last = npmNameAt(u); strings.Contains(u.Path, "/-/") {
				last = "the archive of " + last
			}
		}
	}
	return last
}
