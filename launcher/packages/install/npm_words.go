package install

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// What npm writes to standard error, of version 7 to 11.
var (
	npmErrorLine = pattern(`^npm (?:error|ERR!) ?(?:code ([A-Z0-9_]+)$|(.*))`)
	npmAsks      = pattern(`^npm (?:silly|sill) fetch manifest (\S+)$`)
	npmUnpacks   = pattern(`^npm (?:silly|sill) tarball no local data for (\S+)@(https?://\S+?)\. `)
	npmAnswered  = pattern(`^npm http fetch GET (\d+) (\S+)`)
	npmRefused   = pattern(`(40[134]) [A-Za-z ]+- GET (\S+)`)
	npmDenied    = pattern(`(?m)^npm http fetch GET (401) (\S+)`)
	npmCorrupted = pattern(`tarball data for (\S+)@https?://\S+ .*corrupted`)
	npmOther     = pattern(`^(\S+)@((?:git|file|https?|github|link)[^ ]*:\S+)$`)
	npmRequest   = pattern(`request to (\S+) failed, reason: (.*)`)
	npmScript    = pattern(`(?m)^command sh -c (?:-- )?(.*)$`)
	npmScriptAt  = pattern(`(?m)^path \S+/node_modules/((?:@[^/\s]+/)?[^/\s]+)$`)
	npmNotTaken  = pattern(`Refusing to fetch "(.*)"`)
)

// npmNoRoom is about ENOSPC.
const npmNoRoom = "no room is left on the disk of the store"

// npmExplain makes a line of npm's last words.
func npmExplain(words string, j *job) string {
	code, first, all := npmError(words)
	switch {
	case npmRefused().MatchString(all):
		return npmNoEntry(npmRefused().FindStringSubmatch(all), j)
	case code == "Z_DATA_ERROR" && npmCorrupted().MatchString(words):
		return "the archive of " + npmCorrupted().FindStringSubmatch(words)[1] + " cannot be unpacked: it was " +
			"changed or cut off on its way"
	case code == "EINTEGRITY" && npmCorrupted().MatchString(words):
		return "the archive of " + npmCorrupted().FindStringSubmatch(words)[1] + " has not the hash that its " +
			"registry says: it was changed or cut off on its way"
	case npmScript().MatchString(all) && npmScriptAt().MatchString(all):
		return fmt.Sprintf("the install script of %s ended with %s: %.100s", npmScriptAt().FindStringSubmatch(all)[1],
			code, npmScript().FindStringSubmatch(all)[1])
	case code == "ENOSPC":
		return npmNoRoom
	case npmNotTaken().MatchString(all):
		return notServed(npmNotTaken().FindStringSubmatch(all)[1])
	case code == "ENOVERSIONS" && !j.before.IsZero():
		return first + ", which --min-age demands to be published before " + j.before.UTC().Format(time.DateTime)
	case code == "E401": // of which npm has other words where the registry names a way to log in
		if found := npmDenied().FindStringSubmatch(words); found != nil {
			return npmNoEntry(found, j)
		}
	}
	if spec := npmSpecElsewhere(words); spec != "" && code != "ETARGET" {
		return notServed(spec)
	}
	if first == "aliases only work for registry deps" { // npm names neither package nor alias
		return "a dependency is an alias (npm:NAME) of what no registry serves: " + onlyServed
	}
	if found := npmRequest().FindStringSubmatch(all); found != nil {
		if j.settings.serving(found[1]) == "" {
			return "an archive is to come from " + redact(found[1]) + ": " + onlyServed
		}
		return found[1] + ": " + found[2]
	}
	if code == "" {
		return first
	}
	return strings.TrimSuffix(first, ".") + " (" + code + ")"
}

// npmError is the code of npm's error, its first line, and all lines. The first line is without the word that npm puts
// in front of each line of a kind, as "network".
func npmError(words string) (code, first, all string) {
	for line := range strings.Lines(words) {
		found := npmErrorLine().FindStringSubmatch(strings.TrimSpace(line))
		if found == nil || found[1] != "" {
			if found != nil {
				code = found[1]
			}
			continue
		}
		text := strings.TrimSpace(found[2])
		all += text + "\n"
		kind, rest, _ := strings.Cut(text, " ")
		switch {
		case first != "" || kind == "syscall" || kind == "errno" || kind == "path":
		case kind == "network" && npmAwaited(words) != "" && !strings.Contains(rest, "://"):
			first = npmAwaited(words) + ": " + rest
		case kind == "network" || kind == "notarget" || kind == "notsup":
			first = rest
		default:
			first = text
		}
	}
	return code, first, all
}

// notServed is the refusal of a dependency that no registry serves.
func notServed(spec string) string {
	name, where, _ := strings.Cut(spec[1:], "@")
	return "dependency " + spec[:1] + name + " comes from " + redact(where) + ": " + onlyServed
}

const onlyServed = "only what a registry serves is installed"

// npmSpecElsewhere is the last dependency that npm asked for if that is none of a registry's.
func npmSpecElsewhere(words string) string {
	last := ""
	for line := range strings.Lines(words) {
		found := npmAsks().FindStringSubmatch(strings.TrimSpace(line))
		if found != nil && npmOther().MatchString(found[1]) {
			last = found[1]
		}
	}
	return last
}

// npmNoEntry is about a registry that does not give a package: with status 404, too, where a scope is private.
func npmNoEntry(found []string, j *job) string {
	u, err := url.Parse(found[2])
	if err != nil {
		return found[0]
	}
	return npmNotGiven(npmNameAt(u), found[1], u.Host, j)
}

// npmNotGiven is about a host that answers with a status when a package is asked for.
func npmNotGiven(name, status, host string, j *job) string {
	scoped := strings.HasPrefix(name, "@")
	if status == "404" && !(scoped && j.settings.login && len(j.settings.logins) == 0) {
		return name + " is not known to " + host + " (404)"
	}
	switch {
	case len(j.settings.logins) > 0:
		return host + " does not give " + name + " to the log-in of your configuration (" + status + ")"
	case j.settings.login:
		return host + " does not give " + name + " to somebody without a log-in (" + status +
			"): --registry-auth takes that of your configuration"
	}
	return host + " does not give " + name + " to somebody without a log-in (" + status +
		"): write one into your npmrc, and type --registry-auth"
}

// npmNameAt is the package of a registry's URL.
func npmNameAt(u *url.URL) string {
	p, _, _ := strings.Cut(u.Path, "/-/")
	parts := strings.Split(strings.Trim(p, "/"), "/")
	if n := len(parts); n > 1 && strings.HasPrefix(parts[n-2], "@") {
		return strings.Join(parts[n-2:], "/")
	}
	return parts[len(parts)-1]
}

// npmAwaited is the first package that npm has asked for without an answer.
func npmAwaited(words string) string {
	var open []string
	answered := func(name string, archive bool) {
		for i, o := range open {
			if o == name && !archive || archive && strings.HasPrefix(o, "the archive of "+name+"@") {
				open = append(open[:i:i], open[i+1:]...)
				return
			}
		}
	}
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if found := npmAsks().FindStringSubmatch(line); found != nil {
			name, _, _ := strings.Cut(found[1][1:], "@")
			open = append(open, found[1][:1]+name)
		} else if found := npmUnpacks().FindStringSubmatch(line); found != nil {
			open = append(open, "the archive of "+found[1]+"@"+found[2])
		} else if found := npmAnswered().FindStringSubmatch(line); found != nil {
			if u, err := url.Parse(found[2]); err == nil {
				answered(npmNameAt(u), strings.Contains(u.Path, "/-/"))
			}
		}
	}
	if len(open) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(open[0], "@http")
	return name
}
