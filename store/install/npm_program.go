package install

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/store/startline"
)

// A npmProgram is the program of a package of npm's ecosystem.
type npmProgram struct {
	owner string // the package that has the program
	bin   string // the program's name
	own   string // the package's folder below the folder of the install, without links
	file  string // the program's file likewise
}

// npmProgramOf finds the program that a start wants, in node_modules/NAME.
func npmProgramOf(folder string, s *startline.Start) (*npmProgram, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name, err := npmOwner(root, s)
	if err != nil {
		return nil, err
	}
	return npmProgramIn(root, folder, filepath.Join("node_modules", filepath.FromSlash(name)), name, s.Bin)
}

// npmProgramIn finds a program of the package in a folder below root, which is the folder of the install.
func npmProgramIn(root *os.Root, folder, own, name, asked string) (*npmProgram, error) {
	m, err := npmRead(root, filepath.ToSlash(own))
	if err != nil {
		return nil, err
	}
	bins := m.bins(name)
	bin, err := startline.ChooseBin(name, bins, asked)
	if err != nil {
		return nil, err
	}
	top, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(filepath.Join(folder, own))
	if err != nil {
		return nil, err
	}
	file, err := filepath.EvalSymlinks(filepath.Join(real, filepath.FromSlash(bins[bin])))
	if err != nil {
		return nil, fmt.Errorf("program %s of %s is %.100q, which the package has not", bin, name, bins[bin])
	}
	if !strings.HasPrefix(file, real+string(filepath.Separator)) {
		return nil, fmt.Errorf("program %s of %s leads to %s, out of the package", bin, name, file)
	}
	p := &npmProgram{owner: name, bin: bin}
	if p.own, err = filepath.Rel(top, real); err == nil {
		p.file, err = filepath.Rel(top, file)
	}
	if err == nil && !(filepath.IsLocal(p.own) && filepath.IsLocal(p.file)) {
		err = fmt.Errorf("program %s of %s leads out of the package", bin, name)
	}
	return p, err
}

// scriptCommand starts a file: by node where it is a script without a first line that says so.
func scriptCommand(root *os.Root, folder, file string) []string {
	command := filepath.Join(folder, file)
	switch filepath.Ext(file) {
	case ".js", ".cjs", ".mjs":
		f, err := root.Open(file)
		if err != nil {
			break
		}
		defer f.Close()
		first := make([]byte, 2)
		io.ReadFull(f, first)
		if string(first) != "#!" {
			return []string{"node", command}
		}
	}
	return []string{command}
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
