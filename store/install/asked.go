package install

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program finds the manager's program: beside the program that was typed, then in PATH.
func (i *installation) program() (string, error) {
	var folders []string
	if typed := i.start.Program; strings.ContainsRune(typed, filepath.Separator) {
		if !filepath.IsAbs(typed) {
			typed = filepath.Join(i.Dir, typed)
		}
		folders = append(folders, filepath.Dir(typed))
	}
	path, _ := lookup(i.Env, "PATH")
	folders = append(folders, filepath.SplitList(path)...)
	for _, name := range i.row.programs {
		for _, folder := range folders {
			if !filepath.IsAbs(folder) {
				continue
			}
			if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return found, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not found in PATH", strings.Join(i.row.programs, ", "))
}

// settings asks the manager, from an empty folder unless the project's configuration is wanted.
func (i *installation) settings(ctx context.Context, program string) (*settings, error) {
	folder := i.Dir
	if !i.RegistryFromProject {
		if i.row.project != nil {
			if file, registry := i.row.project(i.Dir, i.Env); file != "" {
				i.lines = append(i.lines,
					file+" names the registry "+registry+", which was not asked (--registry-from-project)")
			}
		}
		empty, err := emptyFolder()
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(empty)
		folder = empty
	}
	q := &question{program: program, env: i.Env, folder: folder, auth: i.RegistryAuth}
	return i.row.settings(ctx, q)
}
