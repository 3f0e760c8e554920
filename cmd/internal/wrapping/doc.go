// Package wrapping finds the servers in the files of MCP hosts, and has them started by mcp-sandbox, or by their own
// commands again.
//
//	files, problems := scope.Files()
//	plan := scope.Plan(files, wrapping.Choice{Level: policy.Standard})
//	for _, f := range plan.Files { f.Diff(); f.Change() }
package wrapping

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/file"
)

// A Scope says which files are looked at.
type Scope struct {
	Machine  mcphosts.Machine
	Hosts    []*mcphosts.Host
	Project  string // the folder of a project, absolute; then its files are looked at and none of the user's
	Policies string // the user's folder of policies
	Program  string // mcp-sandbox, absolute
	judged   map[string][]string
}

// A File is one of a host's that is there.
type File struct {
	scope    *Scope
	Host     *mcphosts.Host
	Path     string
	first    bool // the one that the host has without settings of its own: a policy has the server's name alone
	target   file.Target
	form     mcphosts.Form
	document *edit.Document
	Fixed    error // why the file cannot be replaced
	text     []byte
}

// A Problem is a file that cannot be read.
type Problem struct {
	Host *mcphosts.Host
	Path string
	Err  error
}

// String names the file, and says why it cannot be read.
func (p *Problem) String() string {
	text := p.Err.Error()
	if !strings.Contains(text, p.Path) {
		text = p.Path + ": " + text
	}
	return p.Host.Name + ": " + text
}

// Files reads the files of the scope that are there.
func (s *Scope) Files() (files []*File, problems []Problem) {
	type reading struct {
		file        string
		form        mcphosts.Form
		shell, runs bool
	}
	seen := map[reading]bool{} // two hosts can have one file, which each reads in its own way
	for _, h := range s.Hosts {
		for i := range h.Files {
			paths, err := file.Glob(s.paths(&h.Files[i]))
			if err != nil {
				problems = append(problems, Problem{h, h.Files[i].Path, err})
			}
			for _, path := range paths {
				f := &File{scope: s, Host: h, Path: path, form: h.Files[i].Form, first: s.first(h, path)}
				if err := f.read(); err != nil {
					problems = append(problems, Problem{h, path, err})
					continue
				}
				as := reading{f.target.File, f.form, h.Shell, h.Runs}
				if as.form.Syntax = 0; !seen[as] { // comments alone make no other servers
					seen[as] = true
					files = append(files, f)
				}
			}
		}
	}
	return files, problems
}

// Misplaced is about a file that has servers where its host does not look, or empty.
func (f *File) Misplaced() string {
	where := f.document.Misplaced()
	if where == "" {
		return ""
	}
	root, _, _ := strings.Cut(f.form.Roots, " ")
	return f.Host.Name + ": " + f.Path + ": " + f.Host.Title + ` looks for servers below "` + root + `", and ` + where
}

// first reports whether a path is the one whose servers have policies named by them alone. Which files are there and
// what variables say can change, and the path of a policy cannot.
func (s *Scope) first(h *mcphosts.Host, path string) bool {
	if s.Project != "" {
		return h.Name == "claude-code"
	}
	m := mcphosts.Machine{OS: s.Machine.OS, Home: s.Machine.Home, Getenv: func(string) string { return "" }}
	paths := h.Files[0].Paths(m)
	return len(paths) > 0 && paths[0] == path
}

func (s *Scope) paths(f *mcphosts.File) []string {
	if s.Project != "" {
		return f.In(s.Project, s.Machine)
	}
	return f.Paths(s.Machine)
}

// mostOfProject is how many bytes a file of a project may have, which a stranger may have written: those of the user's
// can hold much else, and a byte takes a hundred of memory.
const mostOfProject = 1 << 20

func (f *File) read() (err error) {
	if f.scope.Project != "" {
		f.target, err = file.In(f.scope.Project, f.Path)
	} else {
		f.target, err = file.At(f.Path)
	}
	if err != nil {
		return err
	}
	read, err := f.target.Read()
	if err != nil {
		return err
	}
	if f.text, f.Fixed = read.Bytes, read.Fixed; f.scope.Project != "" && len(f.text) > mostOfProject {
		return fmt.Errorf("more than %d MiB, in a project", mostOfProject>>20)
	}
	f.document, err = edit.Open(f.text, f.form, f.scope.ours)
	return err
}

// projectPolicies is the folder of a project with the policies that wrap writes there, shared as the host's file is.
const projectPolicies = ".mcp-sandbox"

// ours reports whether a policy that an entry names is one that wrap writes. What else is in a name, as ${X:-a}, hosts
// may fill in.
func (s *Scope) ours(policy string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789_-"
	if s.Project != "" {
		rest, ok := strings.CutPrefix(filepath.ToSlash(policy), projectPolicies+"/")
		name, json := strings.CutSuffix(rest, ".json")
		return ok && json && strings.Trim(name, letters) == ""
	}
	rest, err := filepath.Rel(s.Policies, policy)
	name, json := strings.CutSuffix(filepath.ToSlash(rest), ".json")
	return err == nil && filepath.IsAbs(policy) && json && strings.Trim(name, letters+"/") == ""
}
