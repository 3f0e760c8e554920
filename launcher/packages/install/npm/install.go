package npm

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// options are those of every install. All versions from 7 on have them; those that a version may lack are in npmrc.
const options = `ignore-scripts=true
audit=false
fund=false
update-notifier=false
progress=false
color=false
logs-max=0
package-lock=true
save=true
bin-links=true
loglevel=silly
fetch-retries=2
fetch-retry-factor=2
fetch-retry-mintimeout=500
fetch-retry-maxtimeout=2000
fetch-timeout=60000
`

// validName and validRange match the parts of a word on the command line: no word that npm takes for a flag, a path, a
// URL, an alias or two specs.
var (
	validName  = job.Pattern(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*$`)
	validRange = job.Pattern(`^[A-Za-z0-9.*^~<>=| +_-]*$`)
)

// specWords are the words of a command line that ask for the packages of a start.
func specWords(s *startline.Start) (words []string, err error) {
	for _, spec := range s.Specs {
		word := spec.Name
		if spec.Range != "" {
			word += "@" + spec.Range
		}
		if !validName().MatchString(spec.Name) || !validRange().MatchString(spec.Range) {
			return nil, fmt.Errorf("%.100q is no name of a package with a version", word)
		}
		words = append(words, word)
	}
	return words, nil
}

// install runs `npm install` without install scripts, and with them, if they are wanted, `npm rebuild`.
func install(ctx context.Context, j *job.Job) (*job.Contents, error) {
	words, err := specWords(j.Start)
	if err != nil {
		return nil, err
	}
	args := append([]string{"install", "--"}, words...)
	if err := fetch(ctx, j, job.Step{Args: args, Env: variables(j)}); err != nil {
		return nil, err
	}
	found, err := contents(j)
	if err == nil {
		err = fixLinks(j)
	}
	if err != nil || !j.Scripts || len(found.Scripts) == 0 {
		return found.Contents, err
	}
	if err := npmrc(j, homeCache, nil); err != nil {
		return nil, err
	}
	found.Scripts = nil
	args = []string{"rebuild", "--ignore-scripts=false", "--bin-links=false"} // which would undo fixLinks
	rebuild := job.Step{Args: args, Env: variables(j), Local: true, Slow: true}
	if err := j.Run(ctx, rebuild); err != nil {
		return nil, err
	}
	return found.Contents, j.Write(filepath.Join(j.Stage, lockFile), found.text) // the checked text, and no other
}

// homeCache is npm's cache in the private home, as npmrc(5) has it.
const homeCache = `"${HOME}/.npm"`

// fetch runs `npm install`. The cache, of which nothing is kept, lies in the private home: that is memory, and ends
// with the launch, and no disk makes and removes files and folders for each archive. It lies on the disk where the home
// has too little room.
func fetch(ctx context.Context, j *job.Job, install job.Step) error {
	var err error
	for _, cache := range []string{homeCache, quoted(j, "cache")} {
		// Nothing of a first try is left: npm takes packages that are there for whole.
		for _, name := range []string{"node_modules", lockFile} {
			if err := j.Remove(filepath.Join(j.Stage, name)); err != nil {
				return err
			}
		}
		err = j.Write(filepath.Join(j.Stage, "package.json"), []byte("{\"private\":true}\n"))
		if err == nil {
			err = npmrc(j, cache, j.Settings.Logins)
		}
		if err == nil {
			err = j.Run(ctx, install)
		}
		if err == nil || !strings.Contains(err.Error(), job.NoRoom) {
			break
		}
	}
	return err
}

// variables make npm read nothing but the file of npmrc.
func variables(j *job.Job) map[string]string {
	return map[string]string{"npm_config_userconfig": filepath.Join(j.Private, "npmrc"),
		"npm_config_globalconfig": filepath.Join(j.Private, "none")}
}

// npmrc writes npm's whole configuration for an install. The files that a line names are written below Job.Private.
func npmrc(j *job.Job, cache string, logins []job.Login) error {
	var b strings.Builder
	var err error
	b.WriteString(options)
	line := func(name, value string) { fmt.Fprintf(&b, "%s=%s\n", name, value) }
	file := func(name string, text []byte) string {
		err = errors.Join(err, j.Write(filepath.Join(j.Private, name), text))
		return quoted(j, name)
	}
	line("cache", cache)
	for name, value := range map[string]string{"allow-git": "none", "omit-lockfile-registry-resolved": "false"} {
		if j.Settings.Knows[name] {
			line(name, value)
		}
	}
	line("git", quoted(j, "no-git"))
	// All versions have before, which counts for dependencies; min-release-age has whole days and is new.
	if !j.Before.IsZero() {
		line("before", j.Before.UTC().Format(time.RFC3339))
	}
	for i := range j.Settings.Logins { // of an earlier launch with log-ins
		err = errors.Join(err, j.Remove(filepath.Join(j.Private, loginFile(i))))
	}
	for _, r := range j.Settings.Registries {
		if r.Scope != "" {
			r.Scope += ":"
		}
		line(r.Scope+"registry", r.URL)
	}
	if len(j.Settings.CA) > 0 {
		line("cafile", file("ca.pem", j.Settings.CA))
	}
	for i, l := range logins {
		if l.File != nil {
			l.Value = file(loginFile(i), l.File)
		}
		line(l.Key, l.Value)
	}
	file("npmrc", []byte(b.String()))
	return err
}

// quoted is a path below Job.Private for npmrc(5).
func quoted(j *job.Job, name string) string { return fmt.Sprintf("%q", filepath.Join(j.Private, name)) }

// loginFile is the name below Job.Private of the file that a log-in names.
func loginFile(i int) string { return fmt.Sprintf("login-%d", i) }
