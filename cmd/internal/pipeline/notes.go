package pipeline

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/platform/folder"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// note adds the lines on what the flags and the command say and does not come about. The server starts all the same.
func (r *review) note(command []string) {
	r.noteTwice()
	r.noteUnset()
	r.noteDenials()
	r.noteDomains()
	r.noteWords(command[1:])
}

// noteOwner tells of a policy that another user can change. A policy from a descriptor is the host's own.
func (r *review) noteOwner(file string) {
	if r.line.Source.File == "" {
		return
	}
	err := folder.TrustedFile(file)
	if _, unfit := errors.AsType[folder.Unfit](err); unfit {
		r.notes = append(r.notes, "--policy is not yours alone: "+strings.TrimPrefix(err.Error(), "open "))
	}
}

// noteTwice tells of a key with one value that flags give more than one.
func (r *review) noteTwice() {
	last := map[string]launchflags.Setting{}
	for _, s := range r.line.Settings {
		if before, twice := last[s.Key]; twice && !several(s.Key) {
			r.notes = append(r.notes, asTyped(before)+" does not count: "+asTyped(s)+" comes after it")
		}
		last[s.Key] = s
	}
}

// asTyped is a flag and its value as they are written.
func asTyped(s launchflags.Setting) string {
	switch {
	case strings.HasPrefix(s.Flag, "--no-"):
		return s.Flag
	case s.Value == "true" || s.Value == "false":
		return s.Flag + "=" + s.Value
	}
	return s.Flag + " " + s.Value
}

// several reports whether a key takes more than one value.
func several(key string) bool {
	switch key {
	case "env", "seccomp.deny", "network.allowedDomains", "network.deniedDomains", "network.allowUnixSockets",
		"network.publish":
		return true
	}
	return slices.Contains(pathKeys[:], key)
}

// noteUnset tells of variables to forward that are not there.
func (r *review) noteUnset() {
	unset := map[string]bool{}
	for _, name := range r.policy.Unset(os.Environ()) {
		unset[name] = true
	}
	for _, s := range r.line.Settings {
		if s.Key != "env" || !unset[s.Value] {
			continue
		}
		line := s.Flag + " " + s.Value + ": no such variable is set here"
		switch name, _, list := strings.Cut(s.Value, ","); {
		case strings.HasPrefix(name, "$"):
			line += " (write --env " + strings.Trim(name, "${}") + ": the name stands without $)"
		case list:
			line += " (write --env " + name + ", and --env again for each of the others)"
		case strings.HasSuffix(s.Value, "*"):
			line = s.Flag + " " + s.Value + ": no variable that begins with " + strings.TrimSuffix(s.Value, "*") +
				" is set here"
		default:
			line += " (write --env " + s.Value + "=VALUE, or set it where this program is started)"
		}
		r.notes = append(r.notes, line)
	}
}

// noteDenials tells of denials by flags that no grant holds.
func (r *review) noteDenials() {
	p := r.policy
	if p.Level == policy.Privileged || p.Filesystem.Default == policy.Read || runtime.GOOS != "linux" {
		return // nothing is denied, or all of it is held, or no denial holds anyway
	}
	denies := func(s launchflags.Setting) bool { return strings.HasPrefix(s.Key, "filesystem.deny") }
	if !slices.ContainsFunc(r.line.Settings, denies) {
		return // and no link is followed
	}
	grants := grantPlaces(slices.Concat(p.Filesystem.AllowRead, p.Filesystem.AllowWrite, baseFolders[:]))
	repositories := gitFolders(p.Filesystem.AllowWrite)
	opened := func(at string) bool {
		return inside(at, repositories) ||
			slices.ContainsFunc(repositories, func(r string) bool { return inside(r, []string{at}) })
	}
	for _, key := range pathKeys {
		if !strings.HasPrefix(key, "filesystem.deny") {
			continue
		}
		for _, at := range r.placed(key) {
			if at.flag != "" && Exists(at.path) && !inside(at.path, grants) && !opened(at.path) {
				r.notes = append(r.notes, at.flag+" "+at.path+
					" has no effect: it lies in no --allow-read and no --allow-write")
			}
		}
	}
}

// gitFolders are the folders of git that grants of .git files name: such a grant opens parts of them.
func gitFolders(grants []string) (all []string) {
	const most = 4096 // bytes of a path
	for _, at := range grantPlaces(grants) {
		info, err := os.Stat(at)
		if err != nil || filepath.Base(at) != ".git" || !info.Mode().IsRegular() || info.Size() > most {
			continue
		}
		text, err := os.ReadFile(at)
		dir, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
		if err != nil || !ok {
			continue
		}
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(filepath.Dir(at), dir)
		}
		if above := filepath.Dir(dir); filepath.Base(above) == "worktrees" {
			dir = filepath.Dir(above) // of the repository
		}
		all = append(all, dir)
	}
	return grantPlaces(all)
}

// baseFolders hold what is visible without a grant.
var baseFolders = [...]string{"/bin", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/nix", "/run", "/sbin", "/usr"}

// noteFolder tells of a folder as the command, behind a flag that takes one path and without "--" between.
func (r *review) noteFolder(command string) {
	given := r.line.Settings
	if len(given) == 0 || !slices.Contains(pathKeys[:], given[len(given)-1].Key) {
		return
	}
	if info, err := os.Stat(command); err == nil && info.IsDir() {
		flag := given[len(given)-1].Flag
		r.notes = append(r.notes, text.Quote(command)+" is the command: "+flag+" takes one path, so write "+flag+
			" again for each")
	}
}

// noteWords tells of arguments that a shell would have changed.
func (r *review) noteWords(arguments []string) {
	const most = 3
	told := 0
	for _, word := range arguments {
		value := word
		if flag, v, ok := strings.Cut(word, "="); ok && strings.HasPrefix(flag, "-") {
			value = v
		}
		instead := ""
		if form := notice.ReferenceIn(value); strings.HasSuffix(form, "://...") {
			instead = form + " is"
		}
		switch name, _, ok := shellVariable(value); {
		case value == "~" || strings.HasPrefix(value, "~/"):
			instead = "~ is"
		case ok && strings.HasPrefix(value, "${") && name != "HOME":
			instead = "${...} is"
		case ok && name == "HOME" && (strings.HasPrefix(value, "$HOME") || strings.HasPrefix(value, "${HOME}")):
			instead = "$HOME is"
		}
		if isQuoted(value) && told < most {
			told++
			r.notes = append(r.notes, "argument "+text.Quote(word)+": the quotes are part of it, since no shell "+
				"takes them away: leave them out")
		}
		if instead != "" && told < most {
			told++
			r.notes = append(r.notes, "argument "+text.Quote(word)+": "+instead+" not expanded, since no shell reads "+
				"it: write the whole path")
		}
	}
}

// isQuoted reports whether all of a word is in quotes, as a shell has a word with blanks.
func isQuoted(word string) bool {
	if len(word) < 3 || word[0] != '"' && word[0] != '\'' {
		return false
	}
	return strings.IndexByte(word[1:], word[0]) == len(word)-2
}
