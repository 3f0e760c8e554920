package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// answerWithin is how long a manager may take to tell its configuration: as long as a registry may be silent. With 15 s
// a busy machine refused an install for Python's slow start.
const answerWithin = stallAfter

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

// emptyFolder makes a folder in a stage in which a manager finds no project, also if somebody made one in the folders
// above. It does not lie in /tmp: each pnpm below runs the .pnpmfile.cjs of whoever puts a pnpm-workspace.yaml there.
func emptyFolder(stage string) (string, error) {
	dir, err := os.MkdirTemp(stage, "ask-")
	if err != nil {
		return "", err
	}
	for name, text := range map[string]string{"package.json": "{}\n", "pnpm-workspace.yaml": "packages: []\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return "", errors.Join(err, os.RemoveAll(dir))
		}
	}
	return dir, nil
}

// loaders are variables by which a manager, or the interpreter of its program, runs what is no part of that. Of a name
// that ends in "*" all that begin so.
var loaders = []string{"NODE_OPTIONS", "NODE_PATH", "BUN_OPTIONS", "BUN_INSPECT*", "BASH_ENV", "ENV", "BASH_FUNC_*",
	"LD_*", "PYTHON*", "GCONV_PATH", "CC", "CXX", "FC", "AR", "PKG_CONFIG", "GOFLAGS", "COREPACK_INTEGRITY_KEYS",
	"COREPACK_ENABLE_UNSAFE_CUSTOM_URLS"}

// isLoader reports whether a variable is one of them.
func isLoader(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	return slices.ContainsFunc(loaders, func(l string) bool {
		prefix, many := strings.CutSuffix(l, "*")
		return name == l || many && strings.HasPrefix(name, prefix)
	})
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
