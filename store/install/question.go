package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// A question is put to a package manager about the user's configuration, outside of the sandbox.
type question struct {
	program string   // the manager's
	env     []string // the user's
	folder  string   // empty, and not the user's working folder; that where [Options].RegistryFromProject
	auth    bool     // what logs in is wanted as well
}

// answerWithin is how long a manager may take to tell its configuration.
const answerWithin = 15 * time.Second

// run runs the manager's program in the folder and returns what it printed.
func (q *question) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, fmt.Errorf("no answer within %s", answerWithin))
	defer cancel()
	cmd := exec.CommandContext(ctx, q.program, args...)
	var out, words bytes.Buffer
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = q.env, q.folder, &out, &words
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		asked, _, _ := strings.Cut(strings.Join(args, " "), "\n") // of a program without its other lines
		return nil, fmt.Errorf("%s %s: %w: %s", q.program, asked, err, lastLine(words.String()))
	}
	return out.Bytes(), nil
}

// emptyFolder makes a folder in which a manager finds no project, also if somebody made one in the folders above.
func emptyFolder() (string, error) {
	dir, err := os.MkdirTemp("", "mcp-sandbox-ask-")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}\n"), 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

// lastLine is the last line of a text that is not empty.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}

// version is the manager's, by --version. A version before the least is refused.
func (q *question) version(ctx context.Context, least, name string) (string, error) {
	out, err := q.run(ctx, "--version")
	if err != nil {
		return "", err
	}
	word, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if fields := strings.Fields(word); len(fields) > 1 && fields[0] == name { // as deno has it
		word = fields[1]
	}
	if !semver.IsValid("v" + word) {
		return "", fmt.Errorf("%s --version: %.100q is no version", q.program, word)
	}
	if semver.Compare("v"+word, "v"+least) < 0 {
		return "", fmt.Errorf("%s is of version %s: %s %s or newer is needed", q.program, word, name, least)
	}
	return word, nil
}

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

func first(words ...string) string {
	for _, word := range words {
		if word != "" {
			return word
		}
	}
	return ""
}

// npmrcFile are the options of a user's npmrc(5), where the manager has no command that shows them, and of the project's
// where that is asked for.
func npmrcFile(q *question, files ...string) (map[string]string, error) {
	all := map[string]string{}
	for _, file := range append(files, filepath.Join(q.folder, ".npmrc")) {
		b, err := os.ReadFile(file)
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
