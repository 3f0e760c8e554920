package wrapping

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/judge"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// Title names a server for people: "cursor: github", "claude-code: /home/ann/app: github".
func (e *Entry) Title() string {
	title := e.File.Host.Name + ": "
	if e.Under != "" {
		title += e.Under + ": "
	}
	return text.Printable(title + e.Name)
}

// Opens says what the policy of a server to wrap gives the server.
func (e *Entry) Opens() string {
	p := e.absolute(&e.Made.Policy)
	var parts []string
	add := func(what string, all []string) {
		if len(all) > 0 {
			parts = append(parts, what+" "+strings.Join(all, ", "))
		}
	}
	switch p.Level {
	case policy.LevelNetwork:
		parts = append(parts, "the host's network")
	default:
		add("hosts", p.Network.AllowedDomains)
	}
	add("reads", p.Filesystem.AllowRead)
	add("writes", p.Filesystem.AllowWrite)
	add("variables", p.EnvVars)
	add("the certificates that these name:", certificates(&p))
	if p.State != "" {
		parts = append(parts, "keeps the home "+p.State)
	}
	if len(parts) == 0 {
		parts = []string{"nothing but its own files"}
	}
	return text.Printable(e.Made.From + ": " + strings.Join(parts, "; "))
}

// certificates are the variables of a policy by which its server sees certificates.
func certificates(p *policy.Policy) (names []string) {
	for _, v := range p.Env {
		names = append(names, v.Name)
	}
	names = append(names, p.EnvVars...)
	return slices.DeleteFunc(names, func(name string) bool { return explain.Certificates(name) == "" })
}

// Shown is the document of the policy that the user was shown, as mcp-sandbox run reads its file.
func Shown(e *Entry) []byte {
	p := e.absolute(&e.Made.Policy)
	return p.AppendJSON(nil)
}

// absolute is a policy as mcp-sandbox run reads its file.
func (e *Entry) absolute(p *policy.Policy) policy.Policy {
	if read, err := p.Absolute(filepath.Dir(e.Policy), e.File.scope.Machine.Home); err == nil {
		return read
	}
	return *p
}

// Wide are the lines on what the policy of a server opens that is wide or dangerous, and on variables of the entry.
// Whoever wrote a policy, it is judged alike.
func (e *Entry) Wide() (all []string) {
	var p *policy.Policy
	if e.Made != nil {
		p = &e.Made.Policy
	} else if e.State == edit.Wrapped {
		p, _ = e.policyFile().read()
	}
	if p != nil {
		all = e.File.scope.judge(e.absolute(p), e.Policy)
	}
	return append(all, warnings(e)...)
}

// judge are the lines on one policy, which can be long, and that of a thousand servers.
func (s *Scope) judge(p policy.Policy, file string) []string {
	key := file + "\x00" + string(p.AppendJSON(nil))
	if s.judged == nil {
		s.judged = map[string][]string{}
	}
	if _, known := s.judged[key]; !known {
		x := judge.Of(p, file)
		s.judged[key] = []string{}
		for _, l := range x.Warnings() {
			s.judged[key] = append(s.judged[key], text.Printable(l.String()))
		}
	}
	return slices.Clip(s.judged[key])
}

// A Status is a server in the result of status.
type Status struct {
	Host   string `json:"host"`
	File   string `json:"file"`
	Server string `json:"server"`
	Place  string `json:"place"`
	State  string `json:"state"`
	Reason string `json:"reason"`
	Policy string `json:"policy"`

	Warnings []string `json:"warnings,omitempty"`
}

// Status is what status says of a server.
func (e *Entry) Status() Status {
	s := Status{Host: e.File.Host.Name, File: e.File.Path, Server: e.Name, Place: e.Under, State: e.State.String(),
		Reason: e.Reason, Policy: e.Policy, Warnings: warnings(e)}
	if e.State == edit.Cannot {
		return s
	}
	err := trouble(e)
	if err == nil && e.State == edit.Wrapped {
		if err := e.policyProblem(); err != nil {
			s.Reason = err.Error()
		}
		s.Warnings = e.Wide()
		return s
	}
	if err != nil && e.State == edit.Wrapped {
		err = fmt.Errorf("looks wrapped, but %w", err)
	} else if err == nil {
		err = e.File.Fixed
	}
	if err != nil {
		s.State, s.Reason = edit.Cannot.String(), err.Error()
	}
	return s
}

// Words are the command line of a wrapped server, as its host starts the server. known is false if only the host knows
// what to put into the words.
func (e *Entry) Words() (words []string, known bool) {
	command := expanded(e.Command, e.File.scope)
	known = !slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, "${") })
	return append([]string{e.program(), "run", "--policy", e.argument(), "--"}, command...), known
}

// Secrets are the values in an entry that no output names.
func Secrets(e *Entry) []string { return e.File.document.Secrets(e.index) }

// Variables are the values that the entry gives to variables, and Folder the one in which its host starts the server.
func (e *Entry) Variables() []string { return e.File.document.Variables(e.index) }
func (e *Entry) Folder() string      { return e.server().Dir }
