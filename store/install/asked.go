package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// program finds the manager's program: beside the program that was typed, then in PATH. It is started outside of the
// sandbox, so none of the project in the working folder will do, whatever the line says.
func (i *installation) program() (string, error) {
	folders := i.folders()
	if typed := i.start.Program; filepath.IsAbs(typed) && !i.surroundings().isProjects(filepath.Dir(typed)) {
		folders = slices.Insert(folders, 0, filepath.Dir(typed))
	}
	for _, name := range i.row.programs {
		for _, folder := range folders {
			if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not found in PATH: of a project none is taken", strings.Join(i.row.programs, ", "))
}

// folders are those of the user's PATH that are no project's.
func (i *installation) folders() []string {
	path, _ := lookup(i.Env, "PATH")
	return slices.DeleteFunc(filepath.SplitList(path), i.surroundings().isProjects)
}

// ownEnv is the user's environment without loaders, and without what leads to programs of a project: that of a manager.
// A question is put outside of the sandbox, and a client's configuration, which may be a stranger's, has variables for
// the server.
func (i *installation) ownEnv() []string {
	around := i.surroundings()
	env := slices.DeleteFunc(slices.Clone(i.Env), func(entry string) bool {
		return isLoader(entry) || strings.HasPrefix(entry, "PATH=") || around.leadsToProject(entry)
	})
	if home, _ := lookup(i.Env, "HOME"); around.isProjects(home) {
		env = append(env, "HOME="+first(append(ownHomes(), "/")...))
	}
	return append(env, "PATH="+strings.Join(i.folders(), string(filepath.ListSeparator)))
}

// resolved is a path without links, or as it is.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// isBelow reports whether a path is a folder or lies below that.
func isBelow(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// settings asks the manager, from an empty folder unless the project's configuration is wanted.
func (i *installation) settings(ctx context.Context, program, stage string) (*settings, error) {
	folder := i.Dir
	if !i.RegistryFromProject {
		if i.row.project != nil {
			if file, registry := i.row.project(i.Dir, i.Env); file != "" {
				i.lines = append(i.lines,
					file+" names the registry "+registry+", which was not asked (--registry-from-project)")
			}
		}
		empty, err := emptyFolder(stage)
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(empty)
		folder = empty
	}
	q := &question{program: program, env: i.ownEnv(), folder: folder, auth: i.RegistryAuth}
	return i.row.settings(ctx, q)
}
