package wrapping

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/entrypolicy"
	"github.com/security-mcp/mcp-sandbox/hosts/edit"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Choice is what the user asks for.
type Choice struct {
	Unwrap  bool
	Servers []string     // names; none: all
	Level   policy.Level // for servers without a profile; "" leaves those alone
	// Reduced reports whether this machine gives no more than confinement reduced. It is asked once at most.
	Reduced func() bool
}

// An Entry is a server of a file, and what is done with that server.
type Entry struct {
	edit.Server
	File   *File
	index  int
	Change bool
	Left   string            // why a server that was asked for is left alone
	Made   *entrypolicy.Made // of a server to wrap
	Policy string            // the path of its policy
	Kept   bool              // a policy of the user's is there, and stays
}

// Entries are all servers of a file, none of them to be changed.
func (f *File) Entries() (all []*Entry) {
	for i, s := range f.document.Servers() {
		e := &Entry{Server: s, File: f, index: i, Left: s.Reason}
		if e.Policy = s.Policy; e.Policy != "" && !filepath.IsAbs(e.Policy) {
			e.Policy = filepath.Join(f.scope.Project, e.Policy)
		}
		all = append(all, e)
	}
	return all
}

// Plan says of each server what is to be done.
func (s *Scope) Plan(files []*File, c Choice) (all []*Entry) {
	for _, f := range files {
		for _, e := range f.Entries() {
			if len(c.Servers) > 0 && !slices.Contains(c.Servers, e.Name) {
				continue
			}
			switch {
			case e.State == edit.Cannot:
			case f.Fixed != nil && (e.State == edit.Wrapped) == c.Unwrap:
				e.Left = f.Fixed.Error()
			case c.Unwrap:
				e.Change = e.State == edit.Wrapped
			case e.State == edit.Plain:
				e.decide(&c)
			}
			all = append(all, e)
		}
	}
	return all
}

// decide makes the policy with which a server is wrapped.
func (e *Entry) decide(c *Choice) {
	s := e.server()
	made, err := entrypolicy.Make(s, c.Level, false)
	if err == nil && len(made.Policy.Network.AllowedDomains) > 0 && c.Reduced() {
		made, err = entrypolicy.Make(s, c.Level, true)
	}
	if err != nil {
		e.Left = err.Error()
		return
	}
	e.Policy = filepath.Join(e.File.policies(), e.policyName())
	there, err := e.policyThere()
	if err != nil {
		e.Left, e.Policy = err.Error(), ""
		return
	}
	if there != nil && !bytes.Equal(there.AppendJSON(nil), made.Policy.AppendJSON(nil)) {
		made, e.Kept = &entrypolicy.Made{Policy: *there, From: "the policy that is there"}, true
	}
	e.Made, e.Change = made, true
}

// server is the entry as its host would start it.
func (e *Entry) server() *entrypolicy.Server {
	m := &e.File.scope.Machine
	s := &entrypolicy.Server{Command: seenThrough(e.Command), Env: e.Variables(), Home: m.Home, Dir: m.Home}
	for _, name := range e.Env {
		if !slices.ContainsFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
			s.Names = append(s.Names, name)
		}
	}
	if e.File.scope.Project != "" {
		s.Dir = e.File.scope.Project
	}
	for _, dir := range []string{e.Under, e.Dir} {
		if filepath.IsAbs(dir) && !strings.Contains(dir, "${") {
			s.Dir = filepath.Clean(dir)
		}
	}
	return s
}

// seenThrough is a command without the cmd /c that npx needs on Windows, as the launcher sees it.
func seenThrough(command []string) []string {
	if len(command) > 2 && strings.EqualFold(strings.TrimSuffix(filepath.Base(command[0]), ".exe"), "cmd") &&
		strings.EqualFold(command[1], "/c") {
		return command[2:]
	}
	return command
}

// policies is the folder of the policies of a file's servers.
func (f *File) policies() string {
	if f.scope.Project != "" {
		return filepath.Join(f.scope.Project, projectPolicies)
	}
	return filepath.Join(f.scope.Policies, f.Host.Name)
}

func (e *Entry) policyName() string {
	where := e.Under
	if !e.File.first || e.File.scope.Project != "" && e.File.Host.Name != "claude-code" || where != "" {
		where = e.File.Host.Name + "\x00" + filepath.Base(e.File.Path) + "\x00" + e.Under
		if e.File.scope.Project == "" {
			where = e.File.Path + "\x00" + e.Under
		}
	}
	return entrypolicy.FileName(e.Name, where)
}

// argument is the policy as the entry names it. In a project, whose file others share, the path is the project's.
func (e *Entry) argument() string {
	if e.File.scope.Project != "" {
		return projectPolicies + "/" + filepath.Base(e.Policy)
	}
	return e.Policy
}

// program is mcp-sandbox as the entry names it: hosts with windows have a bare PATH.
func (e *Entry) program() string {
	if e.File.scope.Project != "" {
		return "mcp-sandbox"
	}
	return e.File.scope.Program
}
