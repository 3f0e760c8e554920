package install

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A question is put to a package manager about the user's configuration: in a sandbox of its own, which has no network,
// shows the files of that configuration, and holds nothing of this process's environment. Whatever the manager loads
// or runs there, all that comes out is its answer, which is data of a stranger.
type question struct {
	user
	copied  user   // the folders with copies of the user's files, as the manager sees them
	program string // the manager's
	path    string // PATH for that
	find    func(name, before string) string
	files   []string          // of the user's configuration; some may be missing
	project map[string]string // what the project's configuration names, where [Options].RegistryFromProject
	env     []string          // the variables that a line with a log-in may name; the manager gets none of them
	auth    bool              // what logs in is wanted as well
}

// answerWithin is how long a manager may take to tell its configuration: as long as a registry may be silent. With 15 s
// a busy machine refused an install for Python's slow start.
const answerWithin = stallAfter

// mostAnswer bounds an answer, in bytes.
const mostAnswer = 4 << 20

// run runs the manager's program with these variables alone and returns what it printed.
func (q *question) run(ctx context.Context, env map[string]string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, fmt.Errorf("no answer within %s", answerWithin))
	defer cancel()
	out, words, err := q.launch(ctx, env, args)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		asked, _, _ := strings.Cut(strings.Join(args, " "), "\n") // of a program without its other lines
		return nil, fmt.Errorf("%s %s: %w%s", q.program, asked, err, behindColon(lastWords(words)))
	}
	return out, nil
}

func behindColon(s string) string {
	if s == "" {
		return ""
	}
	return ": " + text.Printable(s)
}

// launch starts the program in its sandbox and waits for the end.
func (q *question) launch(ctx context.Context, env map[string]string, args []string) (out []byte, words string,
	err error) {
	sb, err := launcher.Command(ctx, q.policy(env), launcher.Target{Path: q.program, Args: args,
		Env: []string{"PATH=" + q.path, "HOME=" + q.home}, Dir: "/usr",
		Package: &launcher.PackageID{Manager: filepath.Base(q.program), Path: q.copied.home}})
	if err != nil {
		return nil, "", err
	}
	defer sb.Close()
	said, told := bounded{most: mostAnswer}, bounded{most: mostAnswer}
	sb.Cmd.Stdout, sb.Cmd.Stderr = &said, &told
	if err := sb.Cmd.Start(); err != nil {
		return nil, "", err
	}
	sb.Cmd.Wait()
	last, stop := context.WithTimeout(context.Background(), 10*time.Second)
	defer stop()
	result, err := sb.Wait(last)
	switch {
	case err != nil:
	case said.full:
		err = errors.New("it printed more than an answer can be")
	case result.Cause != order.CauseExit || result.ExitCode != 0:
		err = fmt.Errorf("it ended with %d", result.ExitCode)
	}
	return said.Bytes(), told.String(), err
}

// npmrcForAll is the name of the file for all users, which npm finds where its prefix says, in the home too.
const npmrcForAll = "npmrc"

// policy lets the manager read its own program and the user's configuration.
func (q *question) policy(env map[string]string) policy.Policy {
	p := policy.Policy{Level: policy.Standard, MinConfinement: policy.Reduced, Cwd: "/usr"}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.Env = append(p.Env, policy.Variable{Name: name, Value: env[name]})
	}
	for _, file := range q.files {
		if q.copyOf(file) == "" || filepath.Base(file) == npmrcForAll {
			p.Filesystem.AllowRead = append(p.Filesystem.AllowRead, "-"+file)
		}
	}
	if folder := ownFolder(q.program); folder != "" {
		p.Filesystem.AllowRead = append(p.Filesystem.AllowRead, folder)
	}
	return p
}

// copyOf is where the copy of a file of the user's lies; "" is for a file of the system.
func (q *question) copyOf(file string) string {
	for _, f := range [...][2]string{{q.config, q.copied.config}, {q.home, q.copied.home}} {
		if rel, err := filepath.Rel(f[0], file); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(f[1], rel)
		}
	}
	return ""
}

// copy makes copies of the user's own files in a new folder of a stage, without what logs in: the manager may run as
// another user, who cannot read them where they lie.
func (q *question) copy(stage string) error {
	home, err := os.MkdirTemp(stage, "ask-")
	if err != nil {
		return err
	}
	q.copied = user{home, filepath.Join(home, ".config")}
	for _, file := range q.files {
		to := q.copyOf(file)
		b, err := readConfiguration(file)
		if to == "" || isMissing(err) {
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, withoutLogins(b, asIs), 0o600)
		}
		if err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 || os.Lchown(home, serverID, serverID) != nil {
		return nil // a root that has not this id runs its sandboxes as itself
	}
	return filepath.WalkDir(home, func(at string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Lchown(at, serverID, serverID))
	})
}

func asIs(line string) string { return line }

// names reports whether a registry is the project's.
func (q *question) names(r registry) bool {
	name := "registry"
	if r.scope != "" {
		name = r.scope + ":registry"
	}
	_, is := q.project[name]
	return is
}

// check refuses an answer with a registry that neither stands in a file of the configuration nor is built into the
// manager: whatever ran in the manager's place does not choose the hosts that an install reaches.
func (q *question) check(s *settings, usual string) error {
	known := strings.Fields(usual)
	add := func(text string) {
		known = append(known, strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]", r)
		})...)
	}
	for _, file := range q.files {
		b, _ := readConfiguration(file)
		add(string(withoutLogins(b, asIs)))
	}
	for _, registry := range q.project {
		add(registry)
	}
	for _, r := range s.registries {
		u, err := url.Parse(r.url)
		if err == nil && !slices.Contains(known, u.Host) {
			err = fmt.Errorf("%s answers that %s is a registry, which stands in none of its configuration files",
				q.program, text.Printable(r.url))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A bounded buffer takes what fits and drops the rest.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

func (b *bounded) Write(text []byte) (int, error) {
	if b.Len()+len(text) > b.most {
		b.full = true
		return len(text), nil
	}
	return b.Buffer.Write(text)
}

// ownFolder is the folder of the package that a package manager is itself: "" where it is none. A prefix such as
// ~/.local, in which the user has npm install programs, is not shown as a whole.
func ownFolder(program string) string {
	const modules = "/node_modules/"
	real, err := filepath.EvalSymlinks(program)
	at := strings.LastIndex(real, modules)
	if err != nil || at < 0 {
		return ""
	}
	words := strings.SplitN(real[at+len(modules):], "/", 3)
	if strings.HasPrefix(words[0], "@") && len(words) > 1 {
		words[0] += "/" + words[1]
	}
	return real[:at+len(modules)] + words[0]
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
