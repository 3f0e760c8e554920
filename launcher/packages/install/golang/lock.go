package golang

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// lockFile is the lock file: the checksum of each module in the program, a line each, as in a go.sum.
const lockFile = "go.sum"

// mostNotes is how many bytes of a program are read to find its modules, which are a megabyte at most.
const mostNotes = 64 << 20

// A sparing reader has an end: the lengths that a file states of its parts are a stranger's word.
type sparing struct {
	io.ReaderAt
	left int
}

func (s *sparing) ReadAt(b []byte, at int64) (int, error) {
	if s.left -= len(b); s.left < 0 {
		return 0, errors.New("more of it would have to be read than of any program")
	}
	return s.ReaderAt.ReadAt(b, at)
}

// contents reads the linker's list in the program: the modules in it with the checksums of their archives. The go
// command has compared these with the checksum database, where the user's configuration has one.
func contents(j *job.Job, name string) (*job.Contents, error) {
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program, err := programOf(root)
	if err != nil {
		return nil, err
	}
	f, err := job.OpenRegular(root, "bin/"+program)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := buildinfo.Read(&sparing{f, mostNotes})
	if err != nil {
		return nil, fmt.Errorf("program %s of %s: %w", program, name, err)
	}
	if info.Path != name {
		return nil, fmt.Errorf("program %s is %.200q and not %s", program, info.Path, name)
	}
	all := append([]*debug.Module{&info.Main}, info.Deps...)
	var lines []string
	for _, m := range all {
		if err := check(m); err != nil {
			return nil, err
		}
		lines = append(lines, m.Path+" "+m.Version+" "+m.Sum+"\n")
	}
	slices.Sort(lines)
	var text bytes.Buffer
	for _, line := range lines {
		text.WriteString(line)
	}
	err = j.Write(filepath.Join(j.Stage, lockFile), text.Bytes())
	return &job.Contents{Name: name, Version: info.Main.Version, Integrity: info.Main.Sum, Lock: lockFile,
		Packages: len(all), Registry: j.Settings.Registries[0].URL}, err
}

// check refuses a module that is no archive with a checksum.
func check(m *debug.Module) error {
	sum, found := strings.CutPrefix(m.Sum, "h1:")
	b, err := base64.StdEncoding.DecodeString(sum)
	switch {
	case module.CheckPath(m.Path) != nil || !validVersion().MatchString(m.Version):
		return fmt.Errorf("the program has the module %.200q, version %.100q", m.Path, m.Version)
	case m.Replace != nil:
		return fmt.Errorf("module %s is replaced by %.200s: refused", m.Path, m.Replace.Path)
	case !found || err != nil || len(b) != 32:
		return fmt.Errorf("module %s has no checksum: refused", m.Path)
	}
	return nil
}

// programOf is the name of the one program in bin.
func programOf(root *os.Root) (string, error) {
	all, err := fs.ReadDir(root.FS(), "bin")
	if err != nil {
		return "", err
	}
	for _, e := range all {
		info, err := e.Info()
		if len(all) == 1 && err == nil && info.Mode().IsRegular() && info.Mode()&0o100 != 0 {
			return e.Name(), nil
		}
	}
	return "", fmt.Errorf("%d files are in bin, and one program was to be there", len(all))
}

// entry is the program alone.
func entry(folder string, s *startline.Start) (*job.Entry, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program, err := programOf(root)
	if err != nil {
		return nil, err
	}
	return &job.Entry{Owner: s.Specs[0].Name, Command: []string{filepath.Join(folder, "bin", program)}}, nil
}
