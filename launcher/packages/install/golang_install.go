package install

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"golang.org/x/mod/module"
)

// goLock is the lock file: the checksum of each module in the program, a line each, as in a go.sum.
const goLock = "go.sum"

// goVersion is what may stand behind the @ of a package.
var goVersion = pattern(`^[A-Za-z0-9<>=][A-Za-z0-9._+<>=-]*$`)

// errGoAge is why no Go module is old enough for certain.
var errGoAge = errors.New("--min-age cannot be held for Go: a proxy tells the date of a module's commit, which its " +
	"author writes. Without --min-age it is installed, and counts as old as it has been in the store")

// goInstall runs `go install`.
func goInstall(ctx context.Context, j *job) (*contents, error) {
	spec, a := j.start.Specs[0], j.settings.golang
	wanted := cmp.Or(spec.Range, "latest")
	switch {
	case len(j.start.Specs) > 1 || module.CheckImportPath(spec.Name) != nil || !goVersion().MatchString(wanted):
		return nil, fmt.Errorf("%.200q is no path of a package with a version", spec.Name+"@"+wanted)
	case module.MatchPrefixPatterns(a.GONOPROXY, spec.Name):
		return nil, fmt.Errorf("%s matches GOPRIVATE or GONOPROXY (%.200s) and would come from its repository, %s",
			spec.Name, a.GONOPROXY, byVersionControl)
	case !j.before.IsZero():
		return nil, errGoAge
	}
	for _, folder := range []string{"bin", filepath.Base(j.private) + "/tmp"} {
		if err := j.folder(folder); err != nil {
			return nil, err
		}
	}
	j.program = filepath.Join(a.GOROOT, "bin", "go") // not a starter of a version manager
	run := step{args: []string{"install", "-x", spec.Name + "@" + wanted}, env: goVariables(j)}
	if err := j.runWithNetrc(ctx, run); err != nil {
		return nil, err
	}
	return goContents(j, spec.Name)
}

// goContents reads what the linker wrote into the program: the modules in it with the checksums of their archives. The
// go command has compared these with the checksum database, where the user's configuration has one.
func goContents(j *job, name string) (*contents, error) {
	root, err := os.OpenRoot(j.stage)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program, err := goProgram(root)
	if err != nil {
		return nil, err
	}
	f, err := openRegular(root, "bin/"+program)
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
		if err := goCheck(m); err != nil {
			return nil, err
		}
		lines = append(lines, m.Path+" "+m.Version+" "+m.Sum+"\n")
	}
	slices.Sort(lines)
	var text bytes.Buffer
	for _, line := range lines {
		text.WriteString(line)
	}
	return &contents{name: name, version: info.Main.Version, integrity: info.Main.Sum, lock: goLock, packages: len(all),
		registry: j.settings.registries[0].url}, j.write(filepath.Join(j.stage, goLock), text.Bytes())
}

// goCheck refuses a module that is no archive with a checksum.
func goCheck(m *debug.Module) error {
	sum, found := strings.CutPrefix(m.Sum, "h1:")
	b, err := base64.StdEncoding.DecodeString(sum)
	switch {
	case module.CheckPath(m.Path) != nil || !goVersion().MatchString(m.Version):
		return fmt.Errorf("the program has the module %.200q, version %.100q", m.Path, m.Version)
	case m.Replace != nil:
		return fmt.Errorf("module %s is replaced by %.200s: refused", m.Path, m.Replace.Path)
	case !found || err != nil || len(b) != 32:
		return fmt.Errorf("module %s has no checksum: refused", m.Path)
	}
	return nil
}

// goProgram is the name of the one program in bin.
func goProgram(root *os.Root) (string, error) {
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

// goEntry is the program alone.
func goEntry(folder string, s *startline.Start) (*entry, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	program, err := goProgram(root)
	if err != nil {
		return nil, err
	}
	return &entry{owner: s.Specs[0].Name, command: []string{filepath.Join(folder, "bin", program)}}, nil
}
