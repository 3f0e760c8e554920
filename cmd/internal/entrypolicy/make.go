package entrypolicy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/runtimes"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/profile"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Server is an entry of a host's file, as far as its policy goes by it.
type Server struct {
	Command []string // as the host would start it: npx -y NAME ARGS
	Env     []string // the entry's own variables, NAME=VALUE
	Names   []string // those of its variables whose values are not known
	Dir     string   // its working folder, absolute; where the entry names none, the home
	Home    string
}

// Made is the policy of a server.
type Made struct {
	Policy  policy.Policy
	From    string         // "profile npm:NAME", or "level NAME"
	Notices []order.Notice // what is not granted though the entry names it
}

// ErrNoPolicy says that the server's needs are not known: it has no profile, and no level was named.
var ErrNoPolicy = errors.New("there is no profile for it")

// Make makes the policy of a server: from its profile, else from the level that the user named, "" for none. reduced
// says that this machine gives confinement reduced, which cannot hold a list of hosts.
func Make(s *Server, level policy.Level, reduced bool) (*Made, error) {
	p, err := profile.For(s.Command)
	if err != nil && level == "" {
		return nil, err
	}
	m := &Made{Policy: policy.Policy{OnStdinClose: policy.Terminate}}
	switch {
	case p != nil:
		m.From = "profile " + p.Package
		if reduced {
			p = p.WithoutNetwork()
		}
	case level == "":
		return nil, ErrNoPolicy
	default:
		m.From, m.Policy.Level = "level "+string(level), level
		p = &profile.Profile{Arguments: []profile.Argument{{Rest: true, Grant: profile.Read}}}
	}
	args := s.arguments()
	if p.Package == "" {
		args = trees(s)
	}
	applied, err := p.Apply(m.Policy, args, s.Env, s.Home, s.Dir)
	if err != nil {
		return nil, err
	}
	m.Policy, m.Notices = applied.Policy, applied.Notices
	if err := m.forward(s); err != nil {
		return nil, err
	}
	if m.Policy, err = m.Policy.Absolute(s.Dir, s.Home); err != nil {
		return nil, err
	}
	return m, m.Policy.Validate()
}

// arguments are the words behind the program, or behind the package that a starter names.
func (s *Server) arguments() []string {
	if start, err := startline.Parse(s.Command); err == nil && start != nil {
		return start.Args
	}
	return s.Command[1:]
}

// forward has the entry's own variables reach the server: by name, for a value may be a secret. A star would be a
// pattern, and open variables that the entry does not have.
func (m *Made) forward(s *Server) error {
	known := map[string]bool{}
	for _, name := range m.Policy.EnvVars {
		known[name] = true
	}
	for _, name := range append(slices.Clone(s.Names), s.Env...) {
		name, _, _ = strings.Cut(name, "=")
		if strings.Contains(name, "*") {
			return fmt.Errorf("its variable %q has a star in its name, which a policy takes for a pattern", name)
		}
		if !known[name] {
			known[name] = true
			m.Policy.EnvVars = append(m.Policy.EnvVars, name)
		}
	}
	return nil
}

// trees are the files and folders that words of the command name, each with the package that it is part of.
func trees(s *Server) (all []string) {
	script := s.script()
	for _, word := range s.Command {
		paths := notice.Arguments([]string{word}, s.Dir)
		if len(paths) == 0 && script == filepath.Join(s.Dir, word) { // node index.js
			paths = []string{script}
		}
		for _, path := range paths {
			if _, err := os.Lstat(path); err != nil {
				continue
			}
			command := s.Command
			if path == script {
				command = []string{command[0], path}
			}
			if tree := treeOf(path, command, s.Home); !slices.Contains(all, tree) {
				all = append(all, tree)
			}
		}
	}
	return all
}

// script is the file that an interpreter is to run, absolute; "" if there is none.
func (s *Server) script() string {
	if !runtimes.Interprets(filepath.Base(s.Command[0])) {
		return ""
	}
	for _, word := range s.Command[1:] {
		path := word
		if !filepath.IsAbs(path) {
			path = filepath.Join(s.Dir, path)
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && !strings.HasPrefix(word, "-") {
			return filepath.Clean(path)
		}
	}
	return ""
}

// treeOf is what is read together with a path: of a program in a virtual environment of Python that environment, of one
// in node_modules the folder that has all of them, of a script the folder of its package.
func treeOf(path string, command []string, home string) string {
	if folder := above(path, "pyvenv.cfg"); folder != "" {
		return folder
	}
	grant := notice.GrantFor(command, path, home)
	if grant == filepath.Dir(path) { // a script
		return notice.PackageOf(grant, home, func(at string) bool {
			_, err := os.Lstat(at)
			return err == nil
		})
	}
	return grant
}

// above is the nearest folder above a path that has a file of this name; "" if none has.
func above(path, name string) string {
	for at := filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, name)); err == nil {
			return at
		}
	}
	return ""
}
