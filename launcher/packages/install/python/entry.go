package python

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// entry is how the program of a package is started: a script of Python's by the environment's interpreter, which
// needs no path in its first line, and every other program by itself. PATH has the environment's programs, as with uvx.
func entry(folder string, s *startline.Start) (*job.Entry, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	owner, program, err := choose(root, s)
	if err != nil {
		return nil, err
	}
	python := filepath.Join(folder, interpreter)
	if _, err := os.Stat(python); err != nil {
		target, _ := os.Readlink(python)
		return nil, fmt.Errorf("the Python that %s was installed for is gone: %s: `mcp-sandbox store update %s` takes "+
			"another", owner, target, owner)
	}
	b, err := readStart(root, "bin/"+program, len(firstLines))
	if err != nil {
		return nil, fmt.Errorf("program %s of %s: %w", program, owner, err)
	}
	e := &job.Entry{Owner: owner, Path: filepath.Join(folder, "bin"), Env: []string{"PYTHONDONTWRITEBYTECODE=1"}}
	if e.Command = []string{filepath.Join(e.Path, program)}; string(b) == firstLines {
		e.Command = []string{python, e.Command[0]}
	}
	return e, nil
}

// choose is the package that has the program of a start, and that program: of several packages the first with one.
func choose(root *os.Root, s *startline.Start) (owner, program string, err error) {
	err = errors.New("no package is named")
	for _, spec := range s.Specs {
		var programs []string
		if programs, err = programsOf(root, spec.Name); err != nil {
			return "", "", err
		}
		if program, err = programOf(spec.Name, programs, s); err == nil {
			return spec.Name, program, nil
		}
		if s.Bin == "" {
			break // the others are installed for the first one's program
		}
	}
	return "", "", err
}

// programOf is the program that a tool starts: the one that was named, else that of the package's name. pipx starts
// the only one, whatever its name.
func programOf(name string, programs []string, s *startline.Start) (string, error) {
	asked := s.Bin
	if asked == "" {
		asked = name
	}
	all := strings.Join(programs, ", ")
	i := slices.IndexFunc(programs, func(p string) bool { return s.Bin == "" && normal(p) == asked })
	switch {
	case slices.Contains(programs, asked):
		return asked, nil
	case i >= 0:
		return programs[i], nil
	case len(programs) == 0:
		return "", fmt.Errorf("%s has no program", name)
	case len(programs) == 1 && s.Bin == "" && !strings.HasPrefix(s.Tool, "uv"):
		return programs[0], nil
	case s.Bin != "":
		return "", fmt.Errorf("%s has no program %.100q, but %.300s", name, asked, all)
	case strings.HasPrefix(s.Tool, "uv"):
		return "", fmt.Errorf("%s has no program of its name, but %.300s: write %s --from %s NAME", name, all, s.Tool,
			name)
	default:
		return "", fmt.Errorf("%s has several programs and none of its own name: %.300s: write pipx run --spec %s NAME",
			name, all, name)
	}
}

// programsOf are the programs of a package: the files in bin that its list of installed files has.
func programsOf(root *os.Root, name string) (programs []string, err error) {
	lists, err := fs.Glob(root.FS(), "lib/*/site-packages/*.dist-info/RECORD")
	if err != nil {
		return nil, err
	}
	lists = slices.DeleteFunc(lists, func(list string) bool {
		own, _, _ := strings.Cut(path.Base(path.Dir(list)), "-")
		return normal(own) != name
	})
	switch len(lists) {
	case 0:
		return nil, fmt.Errorf("%s is not in its own environment", name)
	case 1:
	default:
		return nil, fmt.Errorf("%s is in its environment twice: %.100q, %.100q", name, lists[0], lists[1])
	}
	if programs, err = listed(root, lists[0]); err != nil {
		return nil, fmt.Errorf("%s: %w", lists[0], err)
	}
	return programs, nil
}

const (
	mostPrograms = 10_000  // more than any package has in bin
	mostRow      = 8 << 10 // of a list, in bytes: twice the longest path
)

// listed are the programs that a list of installed files has, each once. The list is read line by line. A row in
// quotes, as of a file with a comma in its name, is none of a program.
func listed(root *os.Root, list string) (programs []string, err error) {
	f, err := job.OpenRegular(root, list)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > job.MostList {
		return nil, cmp.Or(err, fmt.Errorf("no file of at most %d bytes", job.MostList))
	}
	lines, looks := bufio.NewScanner(io.LimitReader(f, job.MostList)), 0
	lines.Buffer(nil, mostRow)
	for lines.Scan() {
		row, ok := bytes.CutPrefix(lines.Bytes(), []byte("../../../bin/"))
		name, _, _ := bytes.Cut(row, []byte(","))
		if !ok || len(name) == 0 || bytes.ContainsRune(name, '/') {
			continue
		}
		if looks++; looks > mostPrograms {
			return nil, fmt.Errorf("more than %d programs", mostPrograms)
		}
		program := string(name)
		if info, err := root.Lstat("bin/" + program); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			programs = append(programs, program)
		}
	}
	slices.Sort(programs)
	return slices.Compact(programs), lines.Err()
}

// firstLines is how a script begins that finds its interpreter beside itself: for sh a line that executes Python, for
// Python a text. The path of the stage, which pip writes there, is gone when the package has its place.
const firstLines = "#!/bin/sh\n'''exec' \"$(dirname -- \"$(realpath -- \"$0\")\")\"/python \"$0\" \"$@\"\n' '''\n"

// fixScripts gives the scripts in bin that first line.
func fixScripts(j *job.Job) error {
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return err
	}
	defer root.Close()
	all, err := fs.ReadDir(root.FS(), "bin")
	if err != nil {
		return err
	}
	python := filepath.Join(j.Stage, interpreter)
	short := "#!" + python + "\n"
	long := "#!/bin/sh\n'''exec' " + python + " \"$0\" \"$@\"\n' '''\n" // pip's own vendored distlib, of a long path
	for _, e := range all {
		if !e.Type().IsRegular() {
			continue
		}
		name := "bin/" + e.Name()
		b, err := readStart(root, name, len(long))
		switch {
		case err != nil:
		case strings.HasPrefix(string(b), short):
			err = replaceStart(root, name, firstLines, len(short))
		case string(b) == long:
			err = replaceStart(root, name, firstLines, len(long))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// readStart reads the first bytes of a regular file.
func readStart(root *os.Root, name string, n int) ([]byte, error) {
	f, err := job.OpenRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(n)))
}

// replaceStart writes a file anew with another beginning, and without the first skip bytes. The file may be long.
func replaceStart(root *os.Root, name, start string, skip int) error {
	from, err := job.OpenRegular(root, name)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := root.Remove(name); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	defer to.Close()
	if _, err = to.WriteString(start); err == nil {
		_, err = from.Seek(int64(skip), io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(to, from)
	}
	return err
}
