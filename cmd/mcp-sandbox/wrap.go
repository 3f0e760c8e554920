package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/wrapping"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// A wrapFlags has the flags of wrap, unwrap and status.
type wrapFlags struct {
	servers []string
	project string
	level   policy.Level
	dry     bool
	yes     bool
	try     bool
}

func wrapCommands() []command {
	return []command{{
		name: "wrap", args: "[flags] [HOST...]", short: "have MCP hosts start their servers confined",
		long: `Finds the servers in the configuration files of the hosts on this machine, or of the
hosts named, and has each started by mcp-sandbox run with a policy of its own. Shows
what changes and asks first. The policy comes from the profile of the server's
package; a server without one is left alone unless --level is given. Only the bytes
of an entry change, and unwrap brings them back.

The exit status is 1 if a file or a server of --server was refused, and 125 if there
is no terminal to ask on and no --yes.
` + hostList(),
		tips: `  mcp-sandbox wrap --dry-run
  mcp-sandbox wrap claude-desktop cursor
  mcp-sandbox wrap cursor --server notes --level standard
`,
		flags: wrapOptions, run: wrap,
	}, {
		name: "unwrap", args: "[flags] [HOST...]", short: "have MCP hosts start their servers as before",
		long: `Takes away what wrap wrote, and nothing else: what was changed elsewhere in a file
since then stays. The policies stay too; wrap uses them again.
` + hostList(),
		tips:  "  mcp-sandbox unwrap\n  mcp-sandbox unwrap cursor --server notes\n",
		flags: unwrapOptions, run: unwrap,
	}, {
		name: "status", args: "[--project FOLDER] [--json] [HOST...]",
		short: "list the servers of MCP hosts and which are confined",
		long: `Lists the servers in the configuration files of the hosts: wrapped, plain, or why one
cannot be wrapped.
` + hostList(),
		tips: `  mcp-sandbox status
  mcp-sandbox status --json | jq -r '.servers[] | .state + " " + .server'
`,
		flags: statusOptions, run: status,
	}}
}

func statusOptions() *options {
	o := newOptions()
	o.add("project", "FOLDER", "the hosts' files of this project, and not the user's", "",
		expanded(func(folder string) (err error) {
			if o.wrap.project != "" {
				return launchflags.ErrTwice
			}
			o.wrap.project, err = filepath.Abs(folder)
			return err
		}))
	o.add("json", "", "print it as JSON", "true", truth(&o.json))
	return o
}

func unwrapOptions() *options {
	o := statusOptions()
	o.add("server", "NAME", "only the server of this name; may be repeated", "", func(s string) error {
		o.wrap.servers = append(o.wrap.servers, s)
		return nil
	})
	o.add("dry-run", "", "show what would change", "true", truth(&o.wrap.dry))
	o.add("yes", "", "do not ask", "true", truth(&o.wrap.yes))
	return o
}

func wrapOptions() *options {
	o := unwrapOptions()
	o.add("level", "strict|standard|network", "confine servers without a profile in this level", "",
		func(s string) error {
			o.wrap.level = policy.Level(s)
			if s == string(policy.Privileged) {
				return errors.New("privileged confines nothing: leave such a server as it is")
			}
			return new(policy.Policy).Set("level", s)
		})
	o.add("try", "", "start each server that this command wraps, and put back those that do not answer", "true",
		truth(&o.wrap.try))
	return o
}

// scopeOf is which files are looked at: of the hosts that the words name, or of all.
func scopeOf(o *options, args []string) (*wrapping.Scope, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	s := &wrapping.Scope{Machine: mcphosts.Machine{OS: runtime.GOOS, Home: filepath.Clean(home), Getenv: os.Getenv},
		Project: o.wrap.project, Policies: filepath.Join(p.Config, "policies")}
	if info, err := os.Stat(s.Project); s.Project != "" && err != nil {
		return nil, fmt.Errorf("--project: %w", err)
	} else if s.Project != "" && !info.IsDir() {
		return nil, errors.New("--project: " + text.Quote(s.Project) + " is no folder")
	}
	if s.Program, err = ownProgram(); err != nil {
		return nil, err
	}
	all := mcphosts.All()
	for _, name := range namesOf(args) {
		h := mcphosts.ByName(name)
		if h == nil {
			return nil, unknownHost(name)
		}
		s.Hosts = append(s.Hosts, h)
	}
	for i := range all {
		if len(namesOf(args)) == 0 {
			s.Hosts = append(s.Hosts, &all[i])
		}
	}
	return s, nil
}

// serverNames are the names of all servers in the files of hosts.
func serverNames() (names []string) {
	s, err := scopeOf(newOptions(), nil)
	if err != nil {
		return nil
	}
	files, _ := s.Files()
	for _, f := range files {
		for _, e := range f.Entries() {
			names = append(names, e.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func hostNames() (names []string) {
	for _, h := range mcphosts.All() {
		names = append(names, h.Name)
	}
	return names
}

// ownProgram is this program as a host's file names it: by the path in PATH if that leads here, for the file behind it
// is another after an update.
func ownProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	found, err := exec.LookPath("mcp-sandbox")
	if err != nil || !filepath.IsAbs(found) {
		return self, nil
	}
	here, err := os.Stat(self)
	if err != nil {
		return "", err
	}
	if there, err := os.Stat(found); err == nil && os.SameFile(here, there) {
		return found, nil
	}
	return self, nil
}
