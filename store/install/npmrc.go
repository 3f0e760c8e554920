package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// configHome is the user's folder of configuration for a program.
func (q *question) configHome(name string) string {
	if dir, _ := lookup(q.env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, name)
	}
	home, _ := lookup(q.env, "HOME")
	return filepath.Join(home, ".config", name)
}

// npmrc is the user's npmrc(5).
func (q *question) npmrc() string {
	for _, name := range []string{"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"} {
		if file, _ := lookup(q.env, name); file != "" {
			return file
		}
	}
	home, _ := lookup(q.env, "HOME")
	return filepath.Join(home, ".npmrc")
}

// besideHome is a file of the user's in XDG_CONFIG_HOME if that is there, else in the home; bun looks there.
func (q *question) besideHome(name string) string {
	if name == ".npmrc" {
		for _, v := range []string{"npm_config_userconfig", "NPM_CONFIG_USERCONFIG"} {
			if file, _ := lookup(q.env, v); file != "" {
				return file
			}
		}
	}
	if dir, _ := lookup(q.env, "XDG_CONFIG_HOME"); filepath.IsAbs(dir) && exists(dir, name) {
		return filepath.Join(dir, name)
	}
	home, _ := lookup(q.env, "HOME")
	return filepath.Join(home, name)
}

// dollar is a text, or the variable that the text names as $NAME.
func (q *question) dollar(text string) string {
	if name, found := strings.CutPrefix(text, "$"); found {
		text, _ = lookup(q.env, strings.Trim(name, "{}"))
	}
	return text
}

// npmrcFile are the options of a user's npmrc(5), where the manager has no command that shows them, and the project's
// where that is asked for.
func npmrcFile(q *question, files ...string) (map[string]string, error) {
	all := map[string]string{}
	projects := filepath.Join(q.folder, ".npmrc")
	for _, file := range append(files, projects) {
		read := os.ReadFile
		if file == projects {
			read = readProjects
		}
		b, err := read(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(b)) {
			name, value, found := strings.Cut(line, "=")
			name = strings.TrimSpace(name)
			value, set := npmExpand(strings.Trim(strings.TrimSpace(value), `"'`), q.env)
			if found && set && !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, ";") {
				all[name] = value
			}
		}
	}
	return all, nil
}

// first is the first word that is not empty.
func first(words ...string) string {
	for _, word := range words {
		if word != "" {
			return word
		}
	}
	return ""
}
