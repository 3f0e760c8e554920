package install

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/npm"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// Installer says by an error that wraps [ErrNoManager] that the package manager is missing which installs the packages
// of a line of another one: such a line can be started as it is.
func Installer(start *startline.Start, o Options) error {
	f := newInstallation(nil, start, o).from
	_, err := f.program()
	if f.row != nil && errors.Is(err, ErrNoManager) {
		return err
	}
	return nil
}

// An origin is the manager and the configuration that decide where an installation's packages come from.
type origin struct {
	*Options
	start  *startline.Start
	row    *job.Manager             // nil for a manager of which nothing is installed
	user   func() (job.User, error) // of this process
	around *surroundings
}

// program finds the manager's program: beside the program that was typed, then in PATH. None of the project in the
// working folder will do, whatever the line says.
func (f *origin) program() (string, error) {
	if f.row == nil {
		return "", fmt.Errorf("%s: %w", f.start.Tool, ErrNoManager)
	}
	for _, name := range f.row.Programs {
		if found := f.find(name, beside(f.start)); found != "" {
			return found, nil
		}
	}
	home := order.Lookup(f.Env, "HOME")
	err := fmt.Errorf("%s: not found in PATH (a project's own is not used): %s", strings.Join(f.row.Programs, ", "),
		runtimes.ShortPath(platform.UserHome(home), filepath.Base(f.start.Program)))
	if !strings.HasPrefix(f.start.Tool, "np") && f.row == &npm.Manager { // npx and npm themselves
		err = fmt.Errorf("%s: %w (npm, which would install them, is not found in PATH)", f.start.Tool, ErrNoManager)
	}
	return "", err
}

// beside is the folder of a program that was typed with its path, in which its runtime lies too; else "".
func beside(start *startline.Start) string {
	if filepath.IsAbs(start.Program) {
		return filepath.Dir(start.Program)
	}
	return ""
}

// find is the first program of a name, in a folder or in those of PATH; "" is none. Each start looks, and so a folder
// without such a program is not looked at further.
func (f *origin) find(name, before string) string {
	path := order.Lookup(f.Env, "PATH")
	for _, folder := range append([]string{before}, searched(path)...) {
		if !filepath.IsAbs(folder) {
			continue
		}
		at := filepath.Join(folder, name)
		if _, err := platform.Follow(at); err != nil {
			continue
		}
		found, err := exec.LookPath(at)
		if err == nil && !f.surroundings().isProjects(folder) {
			return found
		}
	}
	return ""
}

// path is PATH for the manager: without folders of projects, and last the folder of the program that was typed.
func (f *origin) path() string {
	path := order.Lookup(f.Env, "PATH")
	folders := slices.DeleteFunc(append(searched(path), beside(f.start)), f.surroundings().isProjects)
	return strings.Join(folders, string(filepath.ListSeparator))
}

// question returns the question for the manager, with the files that its answer depends on.
func (f *origin) question() (*job.Question, error) {
	u, err := f.user()
	if err != nil {
		return nil, err
	}
	program, err := f.program()
	if err != nil {
		return nil, err
	}
	q := &job.Question{User: u, Program: program, Find: f.find, Env: f.Env, Auth: f.RegistryAuth,
		Users: func(program string) bool { return f.isUsersProgram(program, u.Home) }}
	q.Files = f.row.Files(q)
	if f.RegistryFromProject && f.row.Project != nil {
		_, q.Project = f.row.Project(f.Dir, u.Home)
	}
	return q, nil
}

// notAsked is a line on a project's registry that does not count; "" is for none.
func (f *origin) notAsked() string {
	u, err := f.user()
	if err != nil || f.row.Project == nil || f.RegistryFromProject {
		return ""
	}
	file, registries := f.row.Project(f.Dir, u.Home)
	if file == "" {
		return ""
	}
	name := slices.Min(slices.Collect(maps.Keys(registries)))
	if registries["registry"] != "" {
		name = "registry"
	}
	return file + " names the registry " + job.Redact(registries[name]) + ", which was not asked " +
		"(--registry-from-project)"
}

// settings asks the manager, in a folder of the stage.
func (f *origin) settings(ctx context.Context, q *job.Question, stage string) (*job.Settings, error) {
	if err := f.checkLogins(q); err != nil {
		return nil, err
	}
	q.Path = f.path()
	if err := q.Copy(stage); err != nil {
		return nil, err
	}
	s, err := f.row.Settings(ctx, q)
	os.RemoveAll(q.Copied.Home)
	if err == nil {
		s.Login = s.Login || q.Hides
		err = q.Check(s, f.row.Usual)
	}
	if err == nil {
		err = f.checkVariables(s, q)
	}
	return s, err
}

// checkLogins refuses to log in by the word of a client's entry: through a proxy of its choice, with authorities that
// it names, or by programs that lie where it wants. By PATH a manager's own first line finds others, and that later.
func (f *origin) checkLogins(q *job.Question) error {
	if !f.RegistryAuth {
		return nil
	}
	for _, name := range slices.Concat(wayVariables, authorityVariables, []string{"PATH"}) {
		value := order.Lookup(f.Env, name)
		if !f.isUsers(name, value) {
			return fmt.Errorf("--registry-auth with %s, which the process that started mcp-sandbox does not have: "+
				"log-ins are not sent on the word of a client's entry", name)
		}
	}
	for _, program := range []string{q.Program, f.find("node", filepath.Dir(q.Program)), f.find("node", "")} {
		if program != "" && !f.isUsersProgram(program, q.Home) {
			return fmt.Errorf("--registry-auth with %s: a log-in is given to programs of the system or of a version "+
				"manager alone", program)
		}
	}
	return nil
}

// isUsersProgram reports whether a program lies where the system or a version manager of the home keeps programs, or is
// found in the user's own PATH. A program that was typed with its path, or lies beside such a one, is the line's word.
func (f *origin) isUsersProgram(at, home string) bool {
	path := order.Lookup(f.Env, "PATH")
	folder := platform.Resolved(filepath.Dir(at)) // /usr/tmp may be a link
	systems := func(system string) bool {
		return platform.Within(at, system) && platform.Within(folder, platform.Resolved(system))
	}
	return f.isUsers("PATH", path) && f.find(filepath.Base(at), "") == at || runtimes.IsStoredIn(home, at) ||
		slices.ContainsFunc([]string{"/usr", "/bin", "/opt", "/nix/store", "/gnu/store"}, systems)
}

// checkVariables refuses an install for which a variable names other sources than the user's configuration. Passing
// over the variable could fetch a name from a registry where it belongs to a stranger.
func (f *origin) checkVariables(s *job.Settings, q *job.Question) error {
	for _, entry := range f.Env {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" || !f.row.Decides(name, f.start) || slices.Contains(q.Files, value) || s.Has(value) {
			continue
		}
		return fmt.Errorf("%s is set, and no variable decides where packages come from, for a client's entry can "+
			"bring one: unset it, or type %s", name, f.row.Write)
	}
	return nil
}
