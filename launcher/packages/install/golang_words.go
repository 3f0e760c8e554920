package install

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// What the go command writes with -x, of version 1.21 to 1.26.
var (
	goAsks     = pattern(`^# get (https?://\S+)$`)
	goAnswered = pattern(`^# get (https?://\S+): `)
	goStatus   = pattern(`(?:reading|fetch:|Get) (https?://\S+): (4\d\d) `)
	goMismatch = pattern(`(\S+@\S+?)(?:/go\.mod)?: verifying .*checksum mismatch`)
	goCompiled = pattern(`^(?:\./)?(\S+\.(?:go|s|mod):\d+(?::\d+)?): (.*)`)
	goNoFiles  = "build constraints exclude all Go files"
)

// goExplain makes a line of the go command's last words.
func goExplain(words string, j *job) string {
	if strings.Contains(words, "no space left on device") {
		return "no room is left on the disk of the store"
	}
	last := goSays(words)
	for _, folder := range []string{j.stage + "/", filepath.Base(j.private) + "/modules/"} {
		last = strings.ReplaceAll(last, folder, "")
	}
	switch {
	case goMismatch().MatchString(words):
		return "the archive of " + goMismatch().FindStringSubmatch(words)[1] +
			" has not the checksum that the database of checksums says: it was changed on its way"
	case goStatus().MatchString(last):
		found := goStatus().FindStringSubmatch(last)
		return goRefused(found[1], found[2], j)
	case strings.Contains(words, "GOVCS disallows"), strings.Contains(last, "?go-get=1"):
		return redactAll(last) + ": it would come from its repository, " + byVersionControl
	case strings.Contains(last, "The go.mod file for the module providing named packages"):
		return "its go.mod has replace or exclude directives, with which go builds no other module's program"
	case strings.Contains(last, goNoFiles) && !j.scripts:
		return last + ": it may need cgo, which starts a C compiler: --scripts lets it"
	}
	return redactAll(last)
}

// goSays is the first error of the go command: its own, else what a line of a file is told of.
func goSays(words string) string {
	lines, place := strings.Split(words, "\n"), ""
	for i, line := range lines {
		text, own := strings.CutPrefix(line, "go: ")
		switch {
		case own && strings.HasSuffix(text, ":") && i+1 < len(lines):
			return text + " " + strings.TrimSpace(lines[i+1])
		case own && !strings.HasPrefix(text, "downloading ") && !strings.HasPrefix(text, "finding ") &&
			!strings.HasPrefix(text, "warning: "):
			return text
		case strings.HasPrefix(line, "package "):
			return line
		case place == "" && goCompiled().MatchString(line):
			place = line
		}
	}
	return place
}

// goRefused is about a proxy that does not give a module.
func goRefused(asked, status string, j *job) string {
	u, err := url.Parse(asked)
	if err != nil {
		return ""
	}
	name := goModule(u)
	switch {
	case status == "401" || status == "403":
		return j.closed(u.Host, name, status)
	case j.settings.golang.direct:
		return name + " is not known to " + u.Host + " (" + status + "); \"direct\" of GOPROXY is not followed: " +
			"an install runs no version control program"
	}
	return name + " is not known to " + u.Host + " (" + status + ")"
}

// goModule is the module of a proxy's URL, with its version if the URL has one.
func goModule(u *url.URL) string {
	escaped, file, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/@")
	name, err := module.UnescapePath(escaped)
	if err != nil {
		name = escaped
	}
	if version, ok := strings.CutPrefix(file, "v/"); ok && version != "list" {
		for _, end := range []string{".info", ".mod", ".zip"} {
			version = strings.TrimSuffix(version, end)
		}
		name += "@" + version
	}
	return name
}

// goBuilds finds the line by which a build begins: the folder of its temporary files. All modules are there by then.
func goBuilds(words string) bool {
	return strings.Contains("\n"+words, "\nWORK=")
}

// goAwaited is the module that the go command has asked for without an answer. It asks at once for all paths that a
// package's module may have, of which the longest is the likeliest.
func goAwaited(words string) string {
	var open []string
	for line := range strings.Lines(words) {
		line = strings.TrimRight(line, "\n")
		if found := goAsks().FindStringSubmatch(line); found != nil {
			open = append(open, found[1])
		} else if found := goAnswered().FindStringSubmatch(line); found != nil {
			for i, o := range open {
				if o == found[1] {
					open = append(open[:i:i], open[i+1:]...)
					break
				}
			}
		}
	}
	if len(open) == 0 {
		return ""
	}
	slices.SortFunc(open, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	u, err := url.Parse(open[0])
	switch {
	case err != nil:
		return ""
	case strings.HasSuffix(u.Path, ".zip"):
		return "the archive of " + goModule(u)
	case strings.Contains(u.Path, "/tile/") || strings.Contains(u.Path, "/lookup/"):
		return "the database of checksums"
	}
	return goModule(u)
}
