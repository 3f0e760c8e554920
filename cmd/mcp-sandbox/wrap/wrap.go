// Package wrap has the commands about the servers in the files of MCP hosts.
package wrap

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/pipeline"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/wrapping"
	"github.com/security-mcp/mcp-sandbox/init/keep/places"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/policy/text"
)

// words are the flags of wrap, unwrap and status.
type words struct {
	servers []string
	project string
	level   policy.Level
	dry     bool
	yes     bool
	try     bool
	json    *bool
}

// Commands are those about the files of MCP hosts.
func Commands() []cli.Command {
	return []cli.Command{{
		Name: "wrap", Args: "[flags] [HOST...]", Short: "have MCP hosts start their servers confined",
		Long: `Finds the servers in the configuration files of the hosts on this machine, or of the
hosts named, and has each started by mcp-sandbox run with a policy of its own. Shows
what changes and asks first. The policy comes from the profile of the server's
package; a server without one is left alone unless --level is given. Only the bytes
of an entry change, and unwrap brings them back.

The exit status is 1 if a file or a server of --server was refused, and 125 if there
is no terminal to ask on and no --yes.
` + hostList(),
		Tips: `  mcp-sandbox wrap --dry-run
  mcp-sandbox wrap claude-desktop cursor
  mcp-sandbox wrap cursor --server notes --level standard
`,
		Setup: setupWrap,
	}, {
		Name: "unwrap", Args: "[flags] [HOST...]", Short: "have MCP hosts start their servers as before",
		Long: `Takes away what wrap wrote, and nothing else: what was changed elsewhere in a file
since then stays. The policies stay too; wrap uses them again.
` + hostList(),
		Tips:  "  mcp-sandbox unwrap\n  mcp-sandbox unwrap cursor --server notes\n",
		Setup: setupUnwrap,
	}, {
		Name: "status", Args: "[--project FOLDER] [--json] [HOST...]",
		Short: "list the servers of MCP hosts and which are confined",
		Long: `Lists the servers in the configuration files of the hosts: wrapped, plain, or why one
cannot be wrapped.
` + hostList(),
		Tips: `  mcp-sandbox status
  mcp-sandbox status --json | jq -r '.servers[] | .state + " " + .server'
`,
		Setup: setupStatus,
	}}
}

// addStatus defines the flags of all three commands.
func addStatus(f *cli.Flags) *words {
	w := &words{}
	f.Value("project", "FOLDER", "the hosts' files of this project, and not the user's",
		pipeline.HomeExpanded(func(folder string) (err error) {
			if w.project != "" {
				return launchflags.ErrTwice
			}
			w.project, err = filepath.Abs(folder)
			return err
		}))
	w.json = f.JSON()
	return w
}

// addUnwrap defines those of the two that change files.
func addUnwrap(f *cli.Flags) *words {
	w := addStatus(f)
	f.Value("server", "NAME", "only the server of this name; may be repeated", func(s string) error {
		w.servers = append(w.servers, s)
		return nil
	})
	f.Switch("dry-run", "show what would change", &w.dry)
	f.Switch("yes", "do not ask", &w.yes)
	return w
}

func setupStatus(f *cli.Flags) cli.Run {
	w := addStatus(f)
	return func(args []string) int { return status(f, w, args) }
}

func setupUnwrap(f *cli.Flags) cli.Run {
	w := addUnwrap(f)
	return func(args []string) int { return rewrite(f, w, "unwrap", args) }
}

func setupWrap(f *cli.Flags) cli.Run {
	w := addUnwrap(f)
	f.Value("level", "strict|standard|network", "confine servers without a profile in this level",
		func(s string) error {
			w.level = policy.Level(s)
			if s == string(policy.Privileged) {
				return errors.New("privileged confines nothing: leave such a server as it is")
			}
			return new(policy.Policy).Set("level", s)
		})
	f.Switch("try", "start each server that this command wraps, and put back those that do not answer", &w.try)
	return func(args []string) int { return rewrite(f, w, "wrap", args) }
}

// scopeOf is which files are looked at: of the hosts that the words name, or of all.
func scopeOf(project string, args []string) (*wrapping.Scope, error) {
	p, err := places.Of(os.Getenv)
	if err != nil {
		return nil, err
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	s := &wrapping.Scope{Machine: mcphosts.Machine{OS: runtime.GOOS, Home: filepath.Clean(home), Getenv: os.Getenv},
		Project: project, Policies: filepath.Join(p.Config, "policies")}
	if info, err := os.Stat(s.Project); s.Project != "" && err != nil {
		return nil, fmt.Errorf("--project: %w", err)
	} else if s.Project != "" && !info.IsDir() {
		return nil, errors.New("--project: " + text.Quote(s.Project) + " is no folder")
	}
	if s.Program, err = ownProgram(); err != nil {
		return nil, err
	}
	all := mcphosts.All()
	for _, name := range cli.Operands(args) {
		h := mcphosts.ByName(name)
		if h == nil {
			return nil, unknownHost(name)
		}
		s.Hosts = append(s.Hosts, h)
	}
	for i := range all {
		if len(cli.Operands(args)) == 0 {
			s.Hosts = append(s.Hosts, &all[i])
		}
	}
	return s, nil
}

// ServerNames are the names of all servers in the files of hosts.
func ServerNames() (names []string) {
	s, err := scopeOf("", nil)
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

// HostNames are the names of all hosts.
func HostNames() (names []string) {
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
