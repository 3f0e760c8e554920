package profile

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/explain"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A profile grants nothing beyond its package's need.
func TestProfilesGrantLittle(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no profile")
	}
	states := map[string]string{}
	for _, p := range all {
		for _, complaint := range complaints(p) {
			t.Errorf("%s: %s", p.Package, complaint)
		}
		name := p.StateName()
		if err := policy.CheckState(name); err != nil || states[name] != "" {
			t.Errorf("%s: state %s: %v, and %q has that name", p.Package, name, err, states[name])
		}
		states[name] = p.Package
	}
}

// complaints are what is wrong with the grants of a profile.
func complaints(p *Profile) (all []string) {
	add := func(what string) { all = append(all, what) }
	if err := validated(p.Policy).Validate(); err != nil {
		add(err.Error())
	}
	for _, path := range slices.Concat(p.Policy.Filesystem.AllowRead, p.Policy.Filesystem.AllowWrite) {
		if why := wide(path); why != "" {
			add(path + " " + why)
		}
	}
	for _, a := range p.Arguments {
		if a.Grant == Host && a.Default != "" {
			if _, err := hostsOf(a.Default, a.Scheme, ""); err != nil {
				add("default " + a.Default + ": " + err.Error())
			}
		}
		project := a.Default == "." && a.Grant == Read // the working folder, which a launch judges
		if a.Grant == Host || a.Default == "" || project || ownSecrets[p.Package] == a.Default {
			continue
		}
		if why := wide(a.Default); why != "" {
			add(a.Default + " " + why)
		}
	}
	for _, entry := range p.Policy.Network.AllowedDomains {
		d, err := policy.ParseDomain(entry)
		switch {
		case err != nil:
			add(err.Error())
		case d.Port == 0:
			add(entry + " has no port, and so opens 80 and 443")
		case d.Address:
			add(entry + " is an address")
		case d.Host == "localhost":
			add(entry + " is the user's own machine")
		case strings.HasPrefix(entry, "*") && !slices.Contains(stars, p.Package+" "+entry):
			add(entry + " is a star for which no reason is known: stars")
		}
	}
	for _, name := range slices.Concat(p.Required, p.Optional) {
		if p := strings.TrimSuffix(name, "*"); p != name && !slices.Contains(ownPrefixes, p) {
			add(name + " is a pattern whose prefix is not known as a product's own: ownPrefixes")
		}
	}
	d := policy.Policy{Level: policy.Standard}.Effective(policy.Run).Limits
	l := p.Policy.Limits
	if l.Memory != 0 && l.Memory <= d.Memory || l.Pids != 0 && l.Pids <= d.Pids || l.OpenFiles != 0 && l.OpenFiles <= d.OpenFiles {
		add("a limit that does not raise that of level standard")
	}
	return all
}

// stars are the entries whose name stands in an answer of the service: that of a workspace, a region, an index.
var stars = []string{"npm:slack-mcp-server *.slack.com:443", "npm:@neondatabase/mcp-server-neon *.neon.tech:443",
	"npm:@pinecone-database/mcp *.pinecone.io:443"}

// ownPrefixes are those of variables that belong to one product.
var ownPrefixes = strings.Fields("BRAVE_MCP_ MDB_MCP_ PLAYWRIGHT_MCP_ SLACK_MCP_")

// ownSecrets are files of secrets that a package is there to use.
var ownSecrets = map[string]string{
	"npm:kubernetes-mcp-server": "-~/.kube/config",
	"npm:mcp-server-kubernetes": "-~/.kube/config",
}

// validated is the policy as a launch would check it.
func validated(p policy.Policy) policy.Policy {
	p.Level, p.MinConfinement = policy.Standard, policy.Full
	return p
}

// wide is why a fixed path is no place of one product.
func wide(path string) string {
	path, optional := strings.CutPrefix(path, "-")
	rest, below := strings.CutPrefix(path, "~/")
	switch {
	case !optional:
		return `has no "-" in front, and a launch without it would be refused`
	case !below && !strings.HasPrefix(path, "/"):
		return "is relative"
	case filepath.Clean(path) != path:
		return "is not clean"
	case !below:
		if slices.Contains([]string{"/", "/home", "/root", "/tmp", "/var", "/var/tmp", "/etc", "/opt", "/run", "/srv", "/usr"}, path) {
			return "is no place of one product"
		}
		return ""
	case slices.Contains(strings.Fields(".cache .config .local .local/share .local/state .local/bin .npm .ssh Documents Downloads Desktop"), rest):
		return "is no place of one product"
	}
	for secret, what := range explain.Secrets() {
		if platform.Within(rest, secret) || platform.Within(secret, rest) {
			return "is or holds a place of " + what
		}
	}
	return ""
}

// The checks above find what they are for.
func TestComplaints(t *testing.T) {
	for _, doc := range []string{
		`{"filesystem": {"allowRead": ["-~/"]}}`, `{"filesystem": {"allowRead": ["-~/.config"]}}`, `{"filesystem": {"allowWrite": ["-~/.cache"]}}`,
		`{"filesystem": {"allowRead": ["-~/.ssh/id"]}}`, `{"filesystem": {"allowRead": ["~/.x"]}}`, `{"filesystem": {"allowRead": ["-/home"]}}`,
		`{}, "arguments": [{"variable": "X", "grant": "host", "default": "x"}]`,
		`{"filesystem": {"allowRead": ["-x"]}}`, `{"network": {"allowedDomains": ["x.example.com"]}}`, `{"network": {"allowedDomains": ["192.0.2.1:443"]}}`,
		`{"network": {"allowedDomains": ["localhost:80"]}}`, `{"network": {"allowedDomains": ["*.example.com:443"]}}`, `{"limits": {"openFiles": 1024}}`, `{"limits": {"memory": "2G"}}`,
		`{}, "arguments": [{"variable": "X", "grant": "read", "default": "-~/.kube/config"}]`,
	} {
		p, err := Parse([]byte(`{"package": "npm:x", "policy": ` + doc + `}`))
		if err != nil {
			t.Errorf("%s: %v", doc, err)
			continue
		}
		if len(complaints(p)) == 0 {
			t.Errorf("%s: no complaint", doc)
		}
	}
	p, err := Parse([]byte(`{"package": "npm:x", "policy": {"filesystem": {"allowRead": ["-~/.x"], "allowWrite": ["-/opt/x"]},
		"network": {"allowedDomains": ["api.example.com:443"]}, "limits": {"openFiles": 4096}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if all := complaints(p); len(all) > 0 {
		t.Error(all)
	}
}

// Each profile has a session that tries its server, and the other way.
func TestEachIsTried(t *testing.T) {
	names := func(dir string) (all []string) {
		err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	profiles, tried := names("data"), names("../../../scripts/profiles/sessions")
	if !slices.Equal(profiles, tried) {
		t.Errorf("profiles of %v\nsessions of %v", profiles, tried)
	}
}
