package npm

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// entry is the link that npx would execute: node_modules/.bin/NAME, and not the file behind the link, for programs
// compare process.argv[1] with names. The folder of the links goes in front of PATH, as npx does.
//
// Of the variables that npx sets none is given: npm_config_* and npm_package_json are npm's own settings and paths that
// are not here, INIT_CWD is the working folder, NODE and npm_execpath start programs that are not to be started. A
// server that needs one does not work when it is started by node either.
func entry(folder string, s *startline.Start) (*job.Entry, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name, err := ownerOf(root, s)
	if err != nil {
		return nil, err
	}
	m, err := readManifest(root, "node_modules/"+name)
	if err != nil {
		return nil, err
	}
	bins := m.bins(name)
	bin, err := startline.ChooseBin(name, bins, s.Bin)
	if err != nil {
		return nil, err
	}
	links := filepath.Join(folder, "node_modules", ".bin")
	command := filepath.Join(links, bin)
	file, err := filepath.EvalSymlinks(command)
	if err != nil {
		return nil, fmt.Errorf("program %s of %s is %.100q, which the package has not", bin, name, bins[bin])
	}
	own, err := filepath.EvalSymlinks(filepath.Join(folder, "node_modules", filepath.FromSlash(name)))
	if err != nil {
		return nil, err
	}
	if file == own || !platform.Within(file, own) {
		return nil, fmt.Errorf("program %s of %s leads to %s, out of the package", bin, name, file)
	}
	return &job.Entry{Owner: name, Command: commandOf(s, command, file), Path: links}, nil
}

// commandOf starts a program as the tool of the line would: bunx by bun where --bun says so, deno run by deno, all
// others by the program's first line.
func commandOf(s *startline.Start, link, file string) []string {
	beside := func(name string) string {
		if strings.ContainsRune(s.Program, filepath.Separator) {
			return filepath.Join(filepath.Dir(s.Program), name)
		}
		return name
	}
	switch {
	case s.Tool == "bunx" && slices.Contains(s.Options, "--bun"):
		// No configuration and no .env: those of the working folder may name programs, which bun runs first, and
		// variables, by which the package's program goes.
		return []string{beside("bun"), "--config=/dev/null", "--env-file=/dev/null", "--bun", "run", link}
	case s.Tool == "deno run":
		return slices.Concat([]string{s.Program, "run"}, s.Options,
			[]string{"--node-modules-dir=manual", "--no-lock", "--no-config", "--cached-only", file})
	}
	return []string{link}
}

// fixLinks makes the links of the packages' programs lead to these, the first package first: npm gives a name that a
// dependency has as well to either.
func fixLinks(j *job.Job) error {
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return err
	}
	defer root.Close()
	fixed := map[string]bool{}
	for _, spec := range j.Start.Specs {
		m, err := readManifest(root, "node_modules/"+spec.Name)
		if err != nil {
			continue // contents has words for the one with the program
		}
		for bin, file := range m.bins(spec.Name) {
			file = path.Join("/", strings.ReplaceAll(file, `\`, "/")) // as npm-normalize-package-bin has it
			if fixed[bin] || !startline.IsBin(bin) || file == "/" {
				continue // entry has words for that, where a program is wanted
			}
			fixed[bin] = true
			if err := fixLink(root, j, "node_modules/.bin/"+bin, "node_modules/"+spec.Name+file); err != nil {
				return err
			}
		}
	}
	return nil
}

// fixLink makes one link lead to a package's file, if that is there.
func fixLink(root *os.Root, j *job.Job, link, file string) error {
	own, err := root.Stat(file)
	if err != nil || !own.Mode().IsRegular() {
		return nil // entry has words for that, too
	}
	if linked, err := root.Stat(link); err == nil && os.SameFile(own, linked) {
		return nil
	}
	if err := root.Remove(link); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := root.Symlink("../"+strings.TrimPrefix(file, "node_modules/"), link); err != nil || j.Owner < 0 {
		return err
	}
	return root.Lchown(link, j.Owner, j.Owner)
}
