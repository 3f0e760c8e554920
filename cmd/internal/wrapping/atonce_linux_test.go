package wrapping

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// What lasts lies where the tests' variables say.
func init() { platform.EnvironmentIsUsers() }

// Of several wraps at once each either changes a file or says that another did, and every server has its policy.
func TestAtOnce(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	var servers []string
	for i := range 20 {
		servers = append(servers, fmt.Sprintf(`"s%d":{"command":"/usr/bin/true"}`, i))
	}
	text := `{"mcpServers":{` + strings.Join(servers, ",") + `}}`
	if err := os.Mkdir(filepath.Join(home, ".cursor"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".cursor", "mcp.json")
	for round := range 10 {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		scope := func() *Scope {
			return &Scope{Machine: mcphosts.Machine{OS: "linux", Home: home, Getenv: func(string) string { return "" }},
				Hosts: []*mcphosts.Host{mcphosts.ByName("cursor")}, Program: "/usr/bin/mcp-sandbox",
				Policies: filepath.Join(home, fmt.Sprint("policies", round))}
		}
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				s := scope()
				files, _ := s.Files()
				entries := s.Plan(files, Choice{Level: policy.Standard})
				if _, err := files[0].Change(entries); err != nil && !errors.Is(err, errMeanwhile) &&
					!strings.Contains(err.Error(), "another mcp-sandbox is changing files") {
					t.Error(err)
				}
			})
		}
		all.Wait()
		files, problems := scope().Files()
		if len(problems) > 0 {
			t.Fatal(problems[0].Err)
		}
		for _, e := range files[0].Entries() {
			if s := e.Status(); s.State != "wrapped" || s.Reason != "" {
				t.Fatalf("%+v", s)
			}
		}
	}
}
