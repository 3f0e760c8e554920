package job

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
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A User is the owner of the managers' configurations. On Linux a client's entry chooses neither folder.
type User struct {
	Home   string
	Config string // XDG_CONFIG_HOME, or .config in the home
}

// A Question is put to a package manager about the user's configuration: in a sandbox of its own, which has no network,
// shows the files of that configuration, and holds nothing of this process's environment. Whatever the manager loads
// or runs there, all that comes out is its answer, which is data of a stranger.
type Question struct {
	User
	Copied  User   // the folders with copies of the user's files, as the manager sees them
	Program string // the manager's
	Path    string // PATH for that
	Find    func(name, before string) string
	Users   func(program string) bool // whether the user chose it; files beside another may be links of a stranger's
	Files   []string                  // of the user's configuration; some may be missing
	Project map[string]string         // the project's registries, where [Options].RegistryFromProject
	Env     []string                  // the variables that a line with a log-in may name; the manager gets none of them
	Auth    bool                      // log-ins are wanted as well
	Hides   bool                      // a copy has less than the file: a log-in in a URL
}

// answerWithin is how long a manager may take to tell its configuration: as long as a registry may be silent. With 15 s
// a busy machine refused an install for Python's slow start.
const answerWithin = stallAfter

// mostAnswer bounds an answer, in bytes.
const mostAnswer = 4 << 20

// Run runs the manager's program with these variables alone and returns what it printed.
func (q *Question) Run(ctx context.Context, env map[string]string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, answerWithin, fmt.Errorf("no answer within %s", answerWithin))
	defer cancel()
	out, words, err := q.launch(ctx, env, args)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if err != nil {
		asked, _, _ := strings.Cut(strings.Join(args, " "), "\n") // of a program without its other lines
		return nil, fmt.Errorf("%s %s: %w%s", q.Program, asked, err, behindColon(lastWords(words)))
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
func (q *Question) launch(ctx context.Context, env map[string]string, args []string) (out []byte, words string,
	err error) {
	sb, err := launcher.Command(ctx, q.policy(env), launcher.Target{Path: q.Program, Args: args,
		Env: []string{"PATH=" + q.Path, "HOME=" + q.Home}, Dir: "/usr",
		Package: &launcher.PackageID{Manager: filepath.Base(q.Program), Path: q.Copied.Home}})
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
func (q *Question) policy(env map[string]string) policy.Policy {
	p := policy.Policy{Level: policy.Standard, MinConfinement: policy.Reduced, Cwd: "/usr"}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		p.Env = append(p.Env, policy.Variable{Name: name, Value: env[name]})
	}
	for _, file := range q.Files {
		if q.CopyOf(file) == "" || filepath.Base(file) == npmrcForAll {
			p.Filesystem.AllowRead = append(p.Filesystem.AllowRead, "-"+file)
		}
	}
	if folder := OwnFolder(q.Program); folder != "" {
		p.Filesystem.AllowRead = append(p.Filesystem.AllowRead, folder)
	}
	return p
}

// CopyOf is where the copy of a file of the user's lies; "" is for a file of the system.
func (q *Question) CopyOf(file string) string {
	for _, f := range [...][2]string{{q.Config, q.Copied.Config}, {q.Home, q.Copied.Home}} {
		if rel, err := filepath.Rel(f[0], file); err == nil && filepath.IsLocal(rel) {
			return filepath.Join(f[1], rel)
		}
	}
	return ""
}

// Copy makes copies of the user's own files in a new folder of a stage, without log-ins: the manager may run as another
// user, and could not read them where they lie.
func (q *Question) Copy(stage string) error {
	home, err := os.MkdirTemp(stage, "ask-")
	if err != nil {
		return err
	}
	q.Copied = User{home, filepath.Join(home, ".config")}
	for _, file := range q.Files {
		to := q.CopyOf(file)
		b, err := ReadConfiguration(file)
		if to == "" || IsMissing(err) {
			continue
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if b = WithoutLogins(b, asIs); err == nil && !q.Auth { // to programs of the user's alone, who asked for it
			shown := userInfo().ReplaceAll(b, []byte("$1"))
			q.Hides, b = q.Hides || len(shown) < len(b), shown
		}
		if err == nil {
			err = os.WriteFile(to, b, 0o600)
		}
		if err != nil {
			return err
		}
	}
	if os.Geteuid() != 0 || os.Lchown(home, ServerID, ServerID) != nil {
		return nil // a root that has not this id runs its sandboxes as itself
	}
	return filepath.WalkDir(home, func(at string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Lchown(at, ServerID, ServerID))
	})
}

func asIs(line string) string { return line }

// userInfo is a URL's user with the password.
var userInfo = Pattern(`([a-zA-Z][a-zA-Z0-9+.-]*://)[^\s/"']*@`)

// Beside are the files of these names, from the folder on that has the bin with a program, with and without the links
// that lead to the program. There are none for a program that the user did not choose.
func (q *Question) Beside(program string, names ...string) (files []string) {
	if program == "" || !q.Users(program) {
		return nil
	}
	for _, at := range []string{program, platform.Resolved(program)} {
		for _, name := range names {
			files = append(files, filepath.Join(filepath.Dir(filepath.Dir(at)), name))
		}
	}
	return files
}

// Names reports whether a registry is the project's.
func (q *Question) Names(r Registry) bool {
	name := "registry"
	if r.Scope != "" {
		name = r.Scope + ":registry"
	}
	_, is := q.Project[name]
	return is
}

// Check refuses an answer with a registry that neither stands in a file of the configuration nor is built into the
// manager: whatever ran in the manager's place does not choose the hosts that an install reaches.
func (q *Question) Check(s *Settings, usual string) error {
	known := strings.Fields(usual)
	add := func(text string) {
		known = append(known, strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
			return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789.-_:[]", r)
		})...)
	}
	for _, file := range q.Files {
		b, _ := ReadConfiguration(file)
		add(string(WithoutLogins(b, asIs)))
	}
	for _, registry := range q.Project {
		add(registry)
	}
	for _, r := range s.Registries {
		u, err := url.Parse(r.URL)
		if err == nil && !slices.Contains(known, u.Host) {
			err = fmt.Errorf("%s answers that %s is a registry, which stands in none of its configuration files",
				q.Program, text.Printable(r.URL))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A bounded buffer drops a text that does not fit, and says so in full.
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
