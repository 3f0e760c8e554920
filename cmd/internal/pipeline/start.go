package pipeline

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/withheld"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/install"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A Start is a command, and the package that it starts.
type Start struct {
	Command []string
	Package *startline.Start // nil: the command runs as it is
	Notes   []string         // lines for standard error
}

const noProfile = "none" // the value of --profile

// AsItIs is the end of a line on a command that is not replaced by an installed program.
const AsItIs = ": the command runs as it is, without a profile"

// Start finds out which package a command starts.
func (l *Line) Start(command []string) *Start {
	s := &Start{Command: command}
	var err error
	if runtime.GOOS == "linux" && policy.Level(l.Given("level")) != policy.Privileged {
		s.Package, err = startline.Parse(command)
	}
	if s.Package != nil {
		if err = install.Installer(s.Package, l.Install.Options); err != nil {
			s.Package = nil
		}
	}
	if err != nil {
		s.Notes = append(s.Notes, err.Error()+AsItIs)
	}
	s.noteProject()
	if s.Package == nil {
		for _, name := range l.Install.Given() {
			s.Notes = append(s.Notes, "--"+name+" has no effect: the command starts no package that can be installed")
		}
	}
	return s
}

// noteProject tells of a package that a node_modules of the working folder, or of one above, has as well: npx and bunx
// themselves would start that, and whoever can write there would choose the program.
func (s *Start) noteProject() {
	if s.Package == nil || !slices.Contains([]string{"npx", "npm exec", "bunx"}, s.Package.Tool) {
		return
	}
	dir, err := launchflags.Folder()
	if err != nil {
		return
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, spec := range s.Package.Specs {
		if modules := withheld.InProject(dir, spec.Name); modules != "" && spec.Range == "" {
			s.Notes = append(s.Notes, modules+" has "+spec.Name+" too, which is not started: name its file for that, "+
				"below "+filepath.Join(modules, ".bin"))
			return
		}
	}
}

// ID is the id of the profile of a package.
func ID(s startline.Spec) string { return s.Ecosystem + ":" + s.Name }

// profileOf finds the profile that a flag names, or of the package, of several packages of the owner of the program; ""
// while the owner is not known. Profiles of packages are for launches without a document.
func (l *Line) profileOf(s *Start, owner string) (*profile.Profile, error) {
	id := l.Profile
	if id == "" && s.Package != nil && l.Source.String() == "" {
		for _, spec := range s.Package.Specs {
			if len(s.Package.Specs) == 1 || spec.Name == owner {
				id = ID(spec)
			}
		}
	}
	if id == "" || id == noProfile {
		return nil, nil
	}
	p, err := profile.ByName(id)
	switch {
	case err != nil:
		return nil, err
	case p == nil && l.Profile != "":
		return nil, errors.New("--profile " + text.Quote(id) + ": " + NoSuchProfile(id))
	case p != nil && l.Given("level") != "":
		return p.WithoutNetwork(), nil
	}
	return p, nil
}

// NoSuchProfile says what to type in place of an id that there is none of: most people write the name alone.
func NoSuchProfile(id string) string {
	for _, ecosystem := range [...]string{"npm", "pypi"} {
		if p, err := profile.ByName(ecosystem + ":" + id); p != nil && err == nil {
			return "there is none, did you mean " + p.Package + "?"
		}
	}
	return "there is none (mcp-sandbox profile list)"
}

// arguments are those that the server gets: without the script of an interpreter.
func (s *Start) arguments() []string {
	switch {
	case s.Package != nil:
		return s.Package.Args
	case len(s.Command) == 0:
		return nil
	}
	args := s.Command[1:]
	if !runtimes.Interprets(s.Command[0][strings.LastIndexByte(s.Command[0], '/')+1:]) {
		return args
	}
	i := slices.IndexFunc(args, func(word string) bool { return !strings.HasPrefix(word, "-") })
	return args[i+1:]
}
