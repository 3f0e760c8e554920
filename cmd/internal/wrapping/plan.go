package wrapping

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/entrypolicy"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A Choice is what the user asks for.
type Choice struct {
	Unwrap  bool
	Servers []string     // names; none: all
	Level   policy.Level // for servers without a profile; "" leaves those alone
	// NoHosts reports whether this machine cannot hold a list of hosts. It is asked once at most.
	NoHosts func() bool
}

// An Entry is a server of a file, and what is done with that server.
type Entry struct {
	edit.Server
	File   *File
	index  int
	nth    int // how many before this one have the same name in the same place
	Change bool
	Left   string            // why a server that was asked for is left alone
	Level  bool              // --level would have the server wrapped
	Made   *entrypolicy.Made // of a server to wrap
	Policy string            // the path of its policy
	Kept   bool              // a policy of the user's is there, and stays
}

// Entries are all servers of a file, none of them to be changed.
func (f *File) Entries() (all []*Entry) {
	same := map[[2]string]int{}
	for i, s := range f.document.Servers() {
		at := [2]string{s.Under, s.Name}
		e := &Entry{Server: s, File: f, index: i, nth: same[at], Left: s.Reason}
		same[at]++
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
			default:
				review(e)
			}
			all = append(all, e)
		}
	}
	return all
}

// decide makes the policy with which a server is wrapped.
func (e *Entry) decide(c *Choice) {
	scope := e.File.scope
	if err := trouble(e); err != nil {
		e.Left = err.Error()
		return
	}
	s := e.server()
	made, err := entrypolicy.Make(s, c.Level, false)
	if err == nil && len(made.Policy.Network.AllowedDomains) > 0 && c.NoHosts() {
		made, err = entrypolicy.Make(s, c.Level, true)
	}
	if err != nil {
		_, other := entrypolicy.Make(s, policy.Standard, true)
		e.Left, e.Level = err.Error(), c.Level == "" && other == nil
		return
	}
	if scope.Project != "" {
		files := &made.Policy.Filesystem
		files.AllowRead = share(files.AllowRead, scope.Project, scope.Machine.Home)
		files.AllowWrite = share(files.AllowWrite, scope.Project, scope.Machine.Home)
	}
	e.Policy = filepath.Join(e.File.policies(), e.policyName())
	there, err := e.policyFile().read()
	if err != nil {
		e.Left, e.Policy = err.Error(), ""
		return
	}
	if there != nil && !bytes.Equal(there.AppendJSON(nil), made.Policy.AppendJSON(nil)) {
		made, e.Kept = &entrypolicy.Made{Policy: *there, From: "the policy that is there"}, true
	}
	e.Made, e.Change = made, true
}

// review takes over the policy of a wrapped server that this user did not see, or says why the server is left alone.
func review(e *Entry) {
	if e.Left = e.Status().Reason; trouble(e) != nil || !errors.Is(e.policyProblem(), errUnseen) {
		return
	}
	if there, err := e.policyFile().read(); err == nil && there != nil {
		e.Made, e.Kept = &entrypolicy.Made{Policy: *there, From: "the policy that is there"}, true
		e.Change, e.Left = true, ""
	}
}

// isElsewhere reports whether the folder in which the host starts a server, as written, is another than the project's.
func isElsewhere(dir, project string) bool {
	const word = "${workspaceFolder}" // which is a folder's name for hosts that do not know the word
	if _, err := os.Lstat(filepath.Join(project, word)); err != nil {
		dir = strings.Replace(dir, word, project, 1)
	}
	if slices.Contains(strings.Split(filepath.ToSlash(dir), "/"), "..") { // from a link that leads elsewhere
		return true
	}
	if !filepath.IsAbs(dir) {
		return filepath.Clean(dir) != "." // "" too
	}
	return filepath.Clean(dir) != project
}

// server is the entry as its host would start it.
func (e *Entry) server() *entrypolicy.Server {
	m := &e.File.scope.Machine
	command := expanded(e.Command, e.File.scope)
	if inner, _ := startline.Unwrap(command); inner != nil && startline.Program(command[0]) == "cmd" {
		command = inner // npx needs cmd /c on Windows
	}
	s := &entrypolicy.Server{Command: command, Env: e.Variables(), Home: m.Home, Dir: m.Home}
	known := map[string]bool{}
	for _, variable := range s.Env {
		name, _, _ := strings.Cut(variable, "=")
		known[name] = true
	}
	for _, name := range e.Env {
		if !known[name] {
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

// expanded are words with the folders that a host puts into them, as far as those are known here.
func expanded(words []string, s *Scope) (all []string) {
	known := []string{"${userHome}", s.Machine.Home}
	if s.Project != "" {
		known = append(known, "${workspaceFolder}", s.Project)
	}
	fills := strings.NewReplacer(known...)
	for _, word := range words {
		all = append(all, fills.Replace(word))
	}
	return all
}

// policies is the folder of the policies of a file's servers.
func (f *File) policies() string {
	if f.scope.Project != "" {
		return filepath.Join(f.scope.Project, projectPolicies)
	}
	return filepath.Join(f.scope.Policies, f.Host.Name)
}

func (e *Entry) policyName() string {
	if e.File.first && e.Under == "" && e.nth == 0 {
		return entrypolicy.FileName(e.Name, "")
	}
	where := e.File.Path
	if e.File.scope.Project != "" { // whose file has another path on the next machine
		path, err := filepath.Rel(e.File.scope.Project, e.File.Path)
		if err != nil {
			path = e.File.Path
		}
		where = e.File.Host.Name + "\x00" + filepath.ToSlash(path)
	}
	where += "\x00" + e.Under
	if e.nth > 0 {
		where += "\x00" + strconv.Itoa(e.nth)
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
