package install

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// What pip writes, of version 22.3 to 26.
var (
	pipErrorLine = pattern(`(?m)^\s*ERROR: (.*)$`)
	pipNothing   = pattern(`^No matching distribution found for ([^ ;]+)`)
	pipVersions  = pattern(`satisfies the requirement .* \(from versions: (.*)\)`)
	pipSources   = pattern(`(?m)No sources permitted for (\S+):`)
	pipPythons   = pattern(`different python version: .*?(Requires-Python [^;\n]*)`)
	pipStatus    = pattern(`(?m)"GET (\S+) HTTP/[0-9.]+" (4\d\d|5\d\d)`)
	pipStarts    = pattern(`Operation not permitted|No permission to execute`)
	pipInvalid   = pattern(`(?m)^\S*\.InvalidRequirement: (.*(?:\n {4}\S.*)?)$`)
	pipAsks      = pattern(`(?m)^\s*(?:Collecting|Getting page|Downloading(?: link)?) (\S+)`)
)

// pipExplain makes a line of pip's last words.
func pipExplain(words string, j *job) string {
	var errors []string
	for _, found := range pipErrorLine().FindAllStringSubmatch(words, -1) {
		if text := strings.TrimSpace(found[1]); !strings.HasPrefix(text, "Exception") {
			errors = append(errors, redactAll(text))
		}
	}
	last := ""
	if len(errors) > 0 {
		last = strings.ReplaceAll(errors[len(errors)-1], j.stage+"/", "")
	}
	switch {
	case strings.Contains(words, "No space left on device"):
		return "no room is left on the disk of the store"
	case strings.Contains(words, "DO NOT MATCH THE HASHES"):
		return "the archive of " + pipNow(words) + " has not the hash that its registry says: it was changed or " +
			"cut off on its way"
	case strings.Contains(words, "zipfile.BadZipFile") || strings.Contains(words, "has an invalid wheel"):
		return "the archive of " + pipNow(words) + " is no whole wheel: it was cut off on its way"
	case !j.scripts && pipStarts().MatchString(words):
		return pipNow(words) + " is no wheel of the index: pip wanted to start a program for it, and only wheels are " +
			"installed (--scripts lets source archives of the index run theirs)"
	case strings.Contains(words, "is not a trusted or secure host"):
		return "pip asks no index by plain http:// that is on another machine, unless trusted-host of its " +
			"configuration names the machine: " + j.settings.registries[0].url
	case pipInvalid().MatchString(words):
		return pipNow(words) + " names a dependency that pip does not understand: " +
			strings.Join(strings.Fields(pipInvalid().FindStringSubmatch(words)[1]), " ")
	case pipNothing().MatchString(last):
		return pipNoMatch(words, pipNothing().FindStringSubmatch(last)[1], j)
	}
	return strings.TrimPrefix(last, "Could not install packages due to an OSError.")
}

// pipNow is the package that pip was at.
func pipNow(words string) string {
	found := pipAsks().FindAllStringSubmatch(words, -1)
	if len(found) == 0 {
		return "a package"
	}
	return pipOf(found[len(found)-1][1])
}

// pipOf is the name in a requirement, in the URL of an index's page, or in that of an archive.
func pipOf(text string) string {
	u, err := url.Parse(text)
	if err == nil && u.Scheme != "" {
		text = strings.TrimSuffix(u.Path, "/")
		text = text[strings.LastIndexByte(text, '/')+1:]
		if strings.Contains(text, ".whl") || strings.Contains(text, ".zip") || strings.Contains(text, ".tar") {
			text, _, _ = strings.Cut(text, "-")
		}
	}
	if i := strings.IndexAny(text, "<>=!~[;@ "); i >= 0 {
		text = text[:i]
	}
	return pipNormal(text)
}

// pipNoMatch says why pip found no archive that fits.
func pipNoMatch(words, requirement string, j *job) string {
	name := pipOf(requirement)
	registry := j.settings.registries[0].url
	host := registry
	if u, err := url.Parse(registry); err == nil {
		host = u.Host
	}
	for _, found := range pipStatus().FindAllStringSubmatch(words, -1) {
		switch {
		case pipOf("x:"+found[1]) != name:
		case found[2] == "401" || found[2] == "403":
			return j.closed(host, name, found[2])
		default:
			return name + " is not known to " + host + " (" + found[2] + ")"
		}
	}
	versions := ""
	for _, found := range pipVersions().FindAllStringSubmatch(words, -1) {
		versions = found[1]
	}
	sources := false
	for _, found := range pipSources().FindAllStringSubmatch(words, -1) {
		sources = sources || pipNormal(found[1]) == name
	}
	switch {
	case sources && (versions == "" || versions == "none"):
		return name + " has no wheel, only an archive whose own program has to make one: --scripts lets that run"
	case pipPythons().MatchString(words):
		return "no version of " + requirement + " is for Python " + j.settings.python.Full + ": " +
			pipPythons().FindStringSubmatch(words)[1]
	case versions == "" || versions == "none":
		return host + " has no archive of " + requirement + " for Python " + j.settings.python.Full + " on this machine"
	}
	return host + " has no version " + requirement + ", but " + versions
}

// pipAwaited is the package that pip last asked for, for it does one thing after the other.
func pipAwaited(words string) string {
	found := pipAsks().FindAllStringSubmatch(words, -1)
	if len(found) == 0 {
		return ""
	}
	last := found[len(found)-1][0]
	if strings.Contains(last, "Downloading") {
		return "the archive of " + pipNow(words)
	}
	return pipNow(words)
}

// pipPassesOver reports whether pip asks no registry at a URL, whoever answers there: by plain http:// only the machine
// itself and what trusted-host names.
func (s *settings) pipPassesOver(u *url.URL) bool {
	if s.python == nil || u.Scheme != "http" || u.Hostname() == "localhost" {
		return false
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
		return false
	}
	trusted := strings.Fields(s.python.option("trusted-host"))
	return !slices.Contains(trusted, u.Hostname()) && !slices.Contains(trusted, u.Host)
}
