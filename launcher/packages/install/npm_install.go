package install

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// npmOptions are those of every install. All versions from 7 on have them; what a version may lack is in npmrc.
const npmOptions = `ignore-scripts=true
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

// npmName and npmRange are what may stand in a word of the command line: no word that npm takes for a flag, a path, a
// URL, an alias or two specs.
var (
	npmName  = pattern(`^(@[A-Za-z0-9~][A-Za-z0-9._~-]*/)?[A-Za-z0-9~_][A-Za-z0-9._~-]*$`)
	npmRange = pattern(`^[A-Za-z0-9.*^~<>=| +_-]*$`)
)

// npmSpecs are the words of a command line that ask for the packages of a start.
func npmSpecs(s *startline.Start) (words []string, err error) {
	for _, spec := range s.Specs {
		word := spec.Name
		if spec.Range != "" {
			word += "@" + spec.Range
		}
		if !npmName().MatchString(spec.Name) || !npmRange().MatchString(spec.Range) {
			return nil, fmt.Errorf("%.100q is no name of a package with a version", word)
		}
		words = append(words, word)
	}
	return words, nil
}

// npmInstall runs `npm install` without install scripts, and with them, if they are wanted, `npm rebuild`.
func npmInstall(ctx context.Context, j *job) (*contents, error) {
	words, err := npmSpecs(j.start)
	if err != nil {
		return nil, err
	}
	args := append([]string{"install", "--"}, words...)
	if err := npmFetch(ctx, j, step{args: args, env: npmVariables(j)}); err != nil {
		return nil, err
	}
	found, err := npmContents(j)
	if err == nil {
		err = npmLink(j)
	}
	if err != nil || !j.scripts || len(found.scripts) == 0 {
		return found.contents, err
	}
	if err := npmrc(j, npmHomeCache, nil); err != nil {
		return nil, err
	}
	found.scripts = nil
	rebuild := step{args: []string{"rebuild", "--ignore-scripts=false"}, env: npmVariables(j), local: true, slow: true}
	if err := j.run(ctx, rebuild); err != nil {
		return nil, err
	}
	return found.contents, j.write(filepath.Join(j.stage, npmLock), found.text) // what was checked, and no other
}

// npmHomeCache is npm's cache in the private home, as npmrc(5) has it.
const npmHomeCache = `"${HOME}/.npm"`

// npmFetch runs `npm install`. The cache, of which nothing is kept, lies in the private home: that is memory, and ends
// with the launch, and no disk makes and removes files and folders for each archive. It lies on the disk where the home
// has too little room.
func npmFetch(ctx context.Context, j *job, install step) error {
	var err error
	for _, cache := range []string{npmHomeCache, j.quoted("cache")} {
		// Nothing of a first try is left: npm takes packages that are there for whole.
		for _, name := range []string{"node_modules", npmLock} {
			if err := j.remove(filepath.Join(j.stage, name)); err != nil {
				return err
			}
		}
		err = j.write(filepath.Join(j.stage, "package.json"), []byte("{\"private\":true}\n"))
		if err == nil {
			err = npmrc(j, cache, j.settings.logins)
		}
		if err == nil {
			err = j.run(ctx, install)
		}
		if err == nil || !strings.Contains(err.Error(), noRoom) {
			break
		}
	}
	return err
}

// npmVariables make npm read nothing but the file of npmrc.
func npmVariables(j *job) map[string]string {
	return map[string]string{"npm_config_userconfig": filepath.Join(j.private, "npmrc"),
		"npm_config_globalconfig": filepath.Join(j.private, "none")}
}

// npmrc writes npm's whole configuration for an install. The files that a line names are written below job.private.
func npmrc(j *job, cache string, logins []login) error {
	var b strings.Builder
	var err error
	b.WriteString(npmOptions)
	line := func(name, value string) { fmt.Fprintf(&b, "%s=%s\n", name, value) }
	file := func(name string, text []byte) string {
		err = errors.Join(err, j.write(filepath.Join(j.private, name), text))
		return j.quoted(name)
	}
	line("cache", cache)
	for name, value := range map[string]string{"allow-git": "none", "omit-lockfile-registry-resolved": "false"} {
		if j.settings.knows[name] {
			line(name, value)
		}
	}
	line("git", j.quoted("no-git"))
	// All versions have before, which counts for dependencies; min-release-age has whole days and is new.
	if !j.before.IsZero() {
		line("before", j.before.UTC().Format(time.RFC3339))
	}
	for i := range j.settings.logins { // of an earlier launch with log-ins
		err = errors.Join(err, j.remove(filepath.Join(j.private, loginFile(i))))
	}
	for _, r := range j.settings.registries {
		if r.scope != "" {
			r.scope += ":"
		}
		line(r.scope+"registry", r.url)
	}
	if len(j.settings.ca) > 0 {
		line("cafile", file("ca.pem", j.settings.ca))
	}
	for i, l := range logins {
		if l.file != nil {
			l.value = file(loginFile(i), l.file)
		}
		line(l.key, l.value)
	}
	file("npmrc", []byte(b.String()))
	return err
}

// quoted is a path below job.private for npmrc(5).
func (j *job) quoted(name string) string { return fmt.Sprintf("%q", filepath.Join(j.private, name)) }

// loginFile is the name below job.private of the file that a log-in names.
func loginFile(i int) string { return fmt.Sprintf("login-%d", i) }
