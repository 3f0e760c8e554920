package planpage

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/page"
	"github.com/security-mcp/mcp-sandbox/init/notice"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Parts are what New takes.
type parts struct {
	order  order.Order
	policy policy.Policy
	plan   order.Plan
	proved order.Enforced
}

func ordinary() parts {
	see := func(path string, mode order.Mode, why order.Why) order.Seen {
		return order.Seen{Path: path, Mode: mode, Why: why}
	}
	l := parts{
		order: order.Order{Command: []string{"node", "server.js", "\x1b[2J"}, Dir: "/home/ann/project",
			Env: []string{"PATH=/usr/bin", "HOME=/home/ann", "API_KEY=secret-value", "MODE=secret-value"}, Dropped: []string{"AWS_TOKEN", "NOTION_TOKEN"}},
		policy: policy.Policy{Level: policy.Standard, MinConfinement: policy.Reduced, Env: []policy.Variable{{Name: "MODE", Value: "secret-value"}}},
		plan: order.Plan{Command: "/home/ann/.nvm/versions/node/v22/bin/node", Home: "/home/ann", Cwd: "/home/ann/project", User: "1000:1000", TmpSize: 1 << 30,
			Variables: []string{"API_KEY", "HOME", "MODE", "PATH"}, Sees: []order.Seen{
				see("/dev/null", order.CanRead, order.WhyAlways), see("/dev/shm", order.Private, order.WhyAlways), see("/etc/passwd", order.Generated, order.WhyAlways),
				see("/etc/ssl", order.CanRead, order.WhyAlways), see("/home/ann", order.Private, order.WhyAlways),
				see("/home/ann/.nvm/versions/node/v22", order.CanRead, order.WhyImplied), see("/home/ann/docs", order.CanRead, order.WhyGranted),
				see("/home/ann/project", order.CanWrite, order.WhyGranted), see("/home/ann/project/.env", order.Hidden, order.WhyDenied),
				see("/home/ann/project/.git", order.CanRead, order.WhyProtected), see("/home/ann/project/agent.sock", order.Hidden, order.WhySocket),
				see("/proc", order.Generated, order.WhyAlways), see("/tmp", order.Private, order.WhyAlways), see("/usr", order.CanRead, order.WhyAlways)}},
		proved: order.Enforced{Confinement: "full", Layers: []order.LayerReport{
			{Layer: order.Limits, State: order.Proved, Facts: []order.Fact{{Name: "data", Got: "1"}, {Name: "open files", Got: "1"}, {Name: "processes", Got: "1"}}},
			{Layer: order.Cgroup, State: order.Absent, Reason: "memory controller not delegated", Effect: "memory is limited by RLIMIT_DATA for each process"}}},
	}
	l.policy = l.policy.Effective(policy.Run)
	return l
}

func launches() map[string]parts {
	ordinary, group, lower, nothing := ordinary(), ordinary(), ordinary(), ordinary()
	group.policy.Subprocess.Allow = policy.No
	group.policy.Limits.Timeout, group.policy.Limits.CPU = policy.Duration(90e9), policy.CPU(500)
	group.proved.Layers = []order.LayerReport{{Layer: order.Cgroup, State: order.Proved, Facts: []order.Fact{{Name: "memory.max", Got: "1"},
		{Name: "pids.max (of the launcher's own group)", Got: "1"}, {Name: "cpu.max", Want: "1", Reason: "cpu controller not delegated"}}},
		{Layer: order.Limits, State: order.Proved, Facts: []order.Fact{{Name: "open files (the launcher's own hard limit)", Got: "1"}}}}
	group.plan.Sees = nil
	for range 30 {
		group.plan.Sees = append(group.plan.Sees, order.Seen{Path: "/srv/" + strings.Repeat("x", len(group.plan.Sees)), Mode: order.CanRead, Why: order.WhyGranted})
	}
	lower.policy.Level = policy.LevelNetwork
	lower.proved.Confinement, lower.proved.Warnings = "reduced", []string{"the confinement is reduced and no stronger one: \u202e"}
	lower.proved.Layers = append(lower.proved.Layers, order.LayerReport{Layer: order.Root, State: order.Absent, Reason: "r", Effect: "/etc is the host's"})
	lower.plan.Cwd, lower.plan.Home = "/tmp/mcp-sandbox-NAME/home", "/tmp/mcp-sandbox-NAME/home"
	nothing.proved = order.Enforced{Confinement: "none", Warnings: []string{notice.NothingConfined}}
	nothing.policy = policy.Policy{Level: policy.Privileged}.Effective(policy.Run)
	nothing.plan.Sees = []order.Seen{{Path: "/", Mode: order.CanWrite, Why: order.WhyAlways}}
	all := map[string]parts{"ordinary": ordinary, "group": group, "reduced": lower, "privileged": nothing}
	maps.Copy(all, lasting())
	maps.Copy(all, byName())
	return all
}

// lasting are launches with a home that lasts: in a root of the server's own, under rules, and where nothing is a
// barrier, as on Windows.
func lasting() map[string]parts {
	full, reduced, limits := ordinary(), ordinary(), ordinary()
	kept := func(l *parts, home string, more ...order.Seen) {
		l.policy.State = "acme"
		l.plan.Home, l.plan.Cwd = home, home
		l.plan.Sees = append(more, order.Seen{Path: home, Mode: order.CanWrite, Why: order.WhyState})
	}
	kept(&full, "/home/ann", order.Seen{Path: "/tmp", Mode: order.Private, Why: order.WhyAlways})
	reduced.proved.Confinement, limits.proved.Confinement = "reduced", "limits"
	kept(&reduced, "/home/ann/.local/state/mcp-sandbox/state/acme", order.Seen{Path: "/tmp/mcp-sandbox-NAME/tmp", Mode: order.Private, Why: order.WhyAlways})
	kept(&limits, `C:\Users\ann\AppData\Local\mcp-sandbox\state\acme`, order.Seen{Path: `C:\`, Mode: order.CanWrite, Why: order.WhyAlways},
		order.Seen{Path: `C:\Users\ann\AppData\Local\Temp\mcp-sandbox-NAME\tmp`, Mode: order.Private, Why: order.WhyAlways})
	return map[string]parts{"lasting": full, "lasting-reduced": reduced, "lasting-limits": limits}
}

// byName are launches with hosts that are allowed: where names are held, and where there is no network instead.
func byName() map[string]parts {
	full, open, reduced := ordinary(), ordinary(), ordinary()
	full.policy.Network = policy.Network{AllowedDomains: []string{"API.example.com", "db.example.com:5432", "*.example.org", "localhost:8080",
		"2001:db8::1", "[2001:db8::2]:22"}, DeniedDomains: []string{"bad.example.org", "*.example.org:80"}, CheckServerName: policy.Yes,
		Publish: []string{"8080:3000", "[::1]:0:3000"}}
	open.policy.Network = policy.Network{AllowedDomains: []string{"api.example.com"}, AllowPrivate: true, CheckServerName: policy.No}
	reduced.policy.Network, reduced.proved.Confinement = open.policy.Network, "reduced"
	held := reduced
	reduced.proved.Layers = append(reduced.proved.Layers[:len(held.proved.Layers):len(held.proved.Layers)], order.LayerReport{Layer: order.Network,
		Facts: []order.Fact{{Name: order.FactDomains, Want: "reachable", Reason: "a reason", Effect: "an effect"}}})
	limits := held
	limits.proved.Confinement = "limits"
	limits.proved.Layers = append(limits.proved.Layers[:len(held.proved.Layers):len(held.proved.Layers)], order.LayerReport{Layer: order.Network, State: order.Proved})
	ports := ordinary()
	ports.policy.Network.Publish = full.policy.Network.Publish
	return map[string]parts{"names": full, "names-open": open, "names-reduced": reduced, "names-reduced-held": held, "names-limits": limits, "ports": ports}
}

// The pages and the JSON are those of testdata; UPDATE=1 writes these. No value of a variable is in them.
func TestPreview(t *testing.T) {
	for name, l := range launches() {
		v := New(&l.order, &l.policy, &l.plan, &l.proved)
		var b strings.Builder
		v.Show(page.Printer{W: &b})
		doc, err := json.MarshalIndent(v, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		for ext, got := range map[string]string{".golden": b.String(), ".json": string(doc) + "\n"} {
			file := filepath.Join("testdata", name+ext)
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil || got != string(want) {
				t.Errorf("%s, %v:\n%s\nwant\n%s", file, err, got, want)
			}
			if strings.Contains(got, "secret") || strings.ContainsAny(got, "\x1b") {
				t.Errorf("%s has a value, or a control character:\n%s", file, got)
			}
		}
	}
}
