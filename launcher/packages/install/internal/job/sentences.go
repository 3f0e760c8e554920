package job

import (
	"cmp"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A sentence replaces for people a text that a package manager has written to standard error.
type sentence struct {
	manager string // "" for each
	pattern func() *regexp.Regexp
	text    string // with the groups of the pattern as $1 or $NAME
}

// Sentences of patterns with the groups at, path and status. That of a 404 counts where a log-in was left behind: many
// registries hide private packages so.
const (
	closed = "$at$path ($status) is not given to "
	hidden = "$at$path ($status) may be hidden from "
)

// onlyServed is why a dependency is refused, and byVersionControl why nothing comes from a repository.
const (
	onlyServed       = "only what a registry serves is installed"
	ByVersionControl = "by a version control program, which is not run in an install"
)

// NoRoom is about ENOSPC.
const NoRoom = "no room is left on the disk of the store"

// sentences are those of npm 7 to 11, pip 22.3 to 26, and go 1.21 to 1.26 with -x. The first one that matches is shown.
// The last ones of each are the manager's own words.
var sentences = [...]sentence{
	{"", Pattern(`(?i)no space left on device|code ENOSPC`), NoRoom},
	{"npm", Pattern(`(?s).*http fetch GET (?P<status>40[13]) (?P<at>\S+).*code E40[13]`), closed},
	{"npm", Pattern(`(?s).*http fetch GET (?P<status>404) (?P<at>\S+/@\S+).*code E404`), hidden},
	{"npm", Pattern(`(?s)tarball data for (\S+)@https?://\S+ [^\n]*corrupted.*code (?:EINTEGRITY|Z_DATA_ERROR)`),
		"the archive of $1 has not the hash that its registry says, or cannot be unpacked: it was changed or cut off " +
			"on its way"},
	{"npm", Pattern(`code (\S+)\nnpm \S+ path \S+/node_modules/((?:@[^/\s]+/)?[^/\s]+)\nnpm \S+ command failed\n` +
		`npm \S+ command sh -c (?:-- )?(.{0,100})`), "the install script of $2 ended with $1: $3"},
	{"npm", Pattern(`(?:fetch manifest |Refusing to fetch ")(@?[^@\s]+)@` +
		`((?:git|file|https?|github|link)[^ :]*:[^\s"]+)`), "dependency $1 comes from $2: " + onlyServed},
	{"npm", Pattern(`No versions available for \S+`), "$0: with --min-age, none that is as old"},
	{"npm", Pattern(`(?m)^npm (?:error|ERR!) network aborted`), "a registry has ended its answer before the end"},
	{"npm", Pattern(`(?m)(?:^npm \S+ (?:code|syscall|errno|path|dest) .*\n)*` +
		`^npm (?:error|ERR!) (?:(?:network|notarget|notsup) )?(.+)`), "$1"},

	{"pypi", Pattern(`(?s)(?P<at>\S+) "GET (?P<path>\S+) HTTP/[0-9.]+" (?P<status>40[13]).*No matching distribution`),
		closed},
	{"pypi", Pattern(`DO NOT MATCH THE HASHES.*\n\s+(\S+) from `),
		"the archive of $1 has not the hash that its registry says: it was changed or cut off on its way"},
	{"pypi", Pattern(`(?s).*Collecting ([^\s@]+).*(?:not permitted while executing command|No permission to execute)`),
		"$1 is no wheel of the index: pip wanted to start a program for it, and only wheels are installed " +
			"(--scripts lets source archives of the index run theirs)"},
	{"pypi", Pattern(`\S+ is not a trusted or secure host`), "$0, which pip does not ask by plain http://, unless " +
		"trusted-host of its configuration names it"},
	{"pypi", Pattern(`(?s)different python version: ([^\n]*).*(No matching distribution found for [^\n]+)`),
		"$2 and this Python: $1"},
	{"pypi", Pattern(`(?s)No sources permitted for .*from versions: none\).*` +
		`(No matching distribution found for [^\n]+)`),
		"$1: there is no wheel, and without --scripts no archive is taken whose own program has to make one"},
	{"pypi", Pattern(`\n *(.+)\n *error: subprocess-exited-with-error`), "the program of a source archive failed: $1"},
	{"pypi", Pattern(`(?s)ERROR: (?:Exception:|[^\n]* due to an OSError\.)\n.*\n(?:\w+\.)*(\w+: [^\n]*)`), "$1"},
	{"pypi", Pattern(`(?m)^\s*ERROR: (Could not find a version .*)`), "$1"},
	{"pypi", Pattern(`(?s).*\n\s*ERROR: ([^\n]*)`), "$1"},

	{"go", Pattern(`(?:reading|fetch:|Get) (?P<at>https?://\S+): (?P<status>40[13]) `), closed},
	{"go", Pattern(`(\S+@\S+?)(?:/go\.mod)?: verifying .*checksum mismatch`),
		"the archive of $1 has not the checksum that the database of checksums says: it was changed on its way"},
	{"go", Pattern(`reading https?://\S+: 4(?:04|10) [^\n]*`), "$0: the proxies of GOPROXY alone are asked, for " +
		"a module comes from its repository " + ByVersionControl},
	{"go", Pattern(`(module \S+|import path "\S+"): .*(?:GOVCS disallows|\?go-get=1)`),
		"$1: it would come from its repository, " + ByVersionControl},
	{"go", Pattern(`package \S+: build constraints exclude all Go files`),
		"$0: the package may need cgo, which starts a C compiler, and which --scripts alone turns on"},
	{"go", Pattern(`(?:^|\n)(?:go: (\S+@\S+ )|(package |\S+\.(?:go|s|mod):\d+))` +
		`([^\n]*(?:\n\t[^\n]*)*)`), "$1$2$3"},
	{"go", Pattern(`(?s).*\ngo: ([^d\n][^\n]*)`), "$1"}, // "go: downloading x" is none
}

// A speech is how a manager says how far it is, a line each.
type speech struct {
	// asks and answers match its questions and the answers to them: a package's name or a URL. An answer without a name
	// is to all that was asked before.
	asks, answers func() *regexp.Regexp
	// builds is that everything is fetched and compilers start, which can be silent for long. Nil is for a manager that
	// compiles nothing.
	builds func() *regexp.Regexp
}

var speeches = map[string]speech{
	"npm": {
		asks: Pattern(`^npm sill(?:y)? ` +
			`(?:fetch manifest (@?[^@\s]+)|tarball no local data for \S+?@(https?://\S+)\. )`),
		answers: Pattern(`^npm http fetch GET \d+ (\S+)`),
	},
	"pypi": {
		asks:    Pattern(`^(?:Collecting|Getting page|Downloading(?: link)?) (\S+)`),
		answers: Pattern(`^(?:Collecting|Getting page|Downloading)()`), // it does one thing after the other
	},
	"go": {
		asks:    Pattern(`^# get (https?://\S+)$`),
		answers: Pattern(`^# get (https?://\S+): `),
		builds:  Pattern(`(?m)^WORK=`), // the folder of its temporary files; all modules are there by then
	},
}

// explain makes a line of a manager's last words; "" is for words of which no sentence is known.
func (j *Job) explain(m *Manager, words string) string {
	for _, s := range sentences {
		at := []int(nil)
		if s.manager == "" || s.manager == m.Name {
			at = s.pattern().FindStringSubmatchIndex(words)
		}
		leftBehind := j.Settings.Login && len(j.Settings.Logins) == 0
		if at == nil || s.text == hidden && !leftBehind {
			continue
		}
		text := string(s.pattern().ExpandString(nil, s.text, words, at))
		if s.text == closed || s.text == hidden {
			text += j.whom(m)
		}
		for _, folder := range []string{j.Stage + "/", filepath.Base(j.Private) + "/modules/"} {
			text = strings.ReplaceAll(text, folder, "")
		}
		return RedactAll(text)
	}
	return ""
}

// whom describes the reader that a registry gives no package, and says how to log in.
func (j *Job) whom(m *Manager) string {
	switch {
	case len(j.Settings.Logins) > 0 && j.Scripts && m.Name != "npm":
		return "somebody without a log-in, and with --scripts there is none"
	case len(j.Settings.Logins) > 0:
		return "the log-ins of your configuration"
	case j.Settings.Login:
		return "somebody without a log-in: --registry-auth takes those of your configuration"
	}
	return "somebody without a log-in: write one into your " + m.Logins + ", and type --registry-auth"
}

// awaited is the package's name or the URL that a manager asked for and did not get, by its words; "" is for unknown. A
// manager may ask for several at once, and the longest tells most: Go asks for all paths that a module may have.
func (s speech) awaited(words string) string {
	var open []string
	for line := range strings.Lines(words) {
		line = strings.TrimSpace(line)
		if found := s.answers().FindStringSubmatch(line); found != nil {
			answer := strings.ReplaceAll(strings.ReplaceAll(found[1], "%2f", "/"), "%2F", "/")
			open = slices.DeleteFunc(open, func(asked string) bool {
				return asked == found[1] || strings.HasSuffix(answer, "/"+asked) || found[1] == ""
			})
		}
		if found := s.asks().FindStringSubmatch(line); found != nil {
			open = append(open, cmp.Or(found[1:]...))
		}
	}
	if len(open) == 0 {
		return ""
	}
	return slices.MaxFunc(open, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// lastWords is the line of a program's last words that says most: behind the error of a node that ends by one come the
// stack and node's version.
func lastWords(text string) string {
	if last := lastLine(text); !strings.HasPrefix(last, "Node.js v") {
		return last
	}
	for line := range strings.Lines(text) {
		if kind, _, found := strings.Cut(line, ": "); found && strings.HasSuffix(kind, "Error") {
			return strings.TrimSpace(line)
		}
	}
	return lastLine(text)
}
