package repocheck

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// A rule is what the packages of one folder may import besides the standard library. A folder's rule is that of the
// longest name here that it lies below.
type rule struct {
	dir string
	own string // folders of this module, between spaces; those below them too
	far string // modules of others
}

// rules are the arrows of docs/architecture.md: policy <- order <- layers <- launch <- shim <- reexec <- launcher <- cmd.
var rules = []rule{
	{"policy", "policy", ""},
	{"policy/strictjson", "policy/text", ""},
	{"policy/text", "", ""},
	{"policy/nearest", "", ""},
	{"policy/suffix", "", ""},
	{"policy/suffix/gen", "", "golang.org/x/net/publicsuffix"},
	{"platform", "", "golang.org/x/sys"},
	{"platform/folder", "platform", "golang.org/x/sys"},
	{"cmd/internal/mcphosts", "", ""},
	{"cmd/internal/mcphosts/edit", "cmd/internal/mcphosts launcher/packages/startline", "github.com/tailscale/hujson github.com/pelletier/go-toml/v2 go.yaml.in/yaml"},
	{"cmd/internal/mcphosts/file", "platform init/keep/places init/keep/state", "golang.org/x/sys"},
	{"init/order", "policy", ""},
	{"init/diagnose", "policy/text platform init/order init/notice init/runtimes", ""},
	{"init/notice", "policy init/order init/runtimes", ""},
	{"init/explain", "policy init/notice init/internal/egress/dial init/internal/egress/match init/internal/egress/addresses init/internal/confine/fsview/protected", ""},
	{"init/keep/places", "platform", "golang.org/x/sys"},
	{"init/keep/state", "policy init/keep/places platform/folder", "golang.org/x/sys"},
	{"init/keep/installed", "init/keep/places init/keep/state platform/folder", "golang.org/x/sys"},
	{"init/keep/reports", "platform init/keep/places init/keep/state", "golang.org/x/sys"},
	{"init/internal", "", "golang.org/x/sys"},                                                       // whatever has no rule of its own knows nobody
	{"init/internal/confine/program", "platform init/internal/confine/seccomp", "golang.org/x/sys"}, // the names of calls
	{"init/internal/confine/program/sys", "init/internal/confine/program", "golang.org/x/sys"},
	{"init/internal/confine/notify", "platform init/order init/internal/loop init/internal/confine/tally", "golang.org/x/sys"},
	{"init/internal/confine/tally", "init/order", ""},
	{"init/internal/confine/seccomp", "policy/nearest", ""},
	{"init/internal/confine/seccomp/gen", "", "github.com/elastic/go-seccomp-bpf golang.org/x/net/bpf golang.org/x/sys"},
	{"init/internal/confine/cgroup", "policy platform", "golang.org/x/sys"},
	{"init/runtimes", "policy init/internal/confine/fsview/toolchain", ""},
	{"init/internal/confine/fsview", "policy platform init/order init/runtimes init/internal/confine/fsview", "golang.org/x/sys"},
	{"init/internal/confine/fsview/certpem", "", ""},
	{"init/internal/confine/fsview/gitconfig", "", ""},
	{"init/internal/confine/fsview/protected", "", ""},
	{"init/internal/confine/fsview/toolchain", "", ""},
	{"init/internal/confine/layers", "policy platform init/order init/internal/confine/cgroup init/internal/confine/program init/internal/confine/fsview init/internal/egress/match", "golang.org/x/sys github.com/landlock-lsm/go-landlock"},
	{"init/internal/egress", "policy platform init/order init/internal/confine/layers init/internal/loop init/internal/confine/tally init/internal/egress", "golang.org/x/sys golang.org/x/net/dns/dnsmessage"},
	{"init/internal/egress/dns", "", "golang.org/x/net/dns/dnsmessage"},
	{"init/internal/egress/hello", "", ""},
	{"init/internal/egress/tap", "", "golang.org/x/sys"},
	{"init/internal/egress/match", "policy init/internal/egress/addresses", ""},
	{"init/internal/egress/names", "", ""},
	{"init/internal/egress/addresses", "", ""},
	{"init/internal/supervise/ending", "policy init/order init/notice", ""},
	{"init/internal/supervise/report", "policy platform init/order init/keep/reports init/internal/supervise/ending init/internal/confine/fsview", "golang.org/x/sys"},
	{"init/internal/loop", "platform", "golang.org/x/sys"},
	{"init/internal/egress/sock", "", "golang.org/x/sys"},
	{"init/internal/egress/resolve", "init/internal/loop init/internal/egress/sock", "golang.org/x/sys golang.org/x/net/dns/dnsmessage"},
	{"init/internal/egress/dial", "init/internal/loop init/internal/egress/sock init/internal/egress/resolve", "golang.org/x/sys golang.org/x/net/dns/dnsmessage"},
	{"init/internal/supervise/proctree", "platform", "golang.org/x/sys"},
	{"init/internal/confine/streams", "platform init/order init/diagnose init/internal/confine/layers", "golang.org/x/sys"},
	{"init/internal/supervise/relay", "platform init/order init/notice init/diagnose init/internal/confine/streams init/internal/supervise/guard init/internal/loop init/internal/confine/layers", "golang.org/x/sys"},
	{"init/internal/confine/privdir", "platform", "golang.org/x/sys"},
	{"init/internal/egress/relay", "init/internal/loop", "golang.org/x/sys"},
	{"init/internal/supervise/coverwatch", "platform init/order init/notice init/internal/confine/layers init/internal/confine/fsview init/internal/loop init/internal/supervise/proctree init/internal/confine/program", "golang.org/x/sys"},
	{"init/internal/confine/answers", "policy platform init/order init/internal/confine/program", "golang.org/x/sys"},
	{"init/internal/confine/trialcalls", "platform init/order init/internal/confine/program", "golang.org/x/sys"},
	{"init/internal/limitsonly", "policy platform init/order init/keep/places init/keep/state init/keep/installed init/notice init/diagnose init/internal/supervise/ending init/internal/confine/fsview init/internal/supervise/guard init/internal/confine/privdir init/internal/supervise/proctree init/internal/supervise/report", "golang.org/x/sys"},
	{"init/internal/confine/ladder", "policy init/order init/diagnose", ""},
	{"init/internal/confine/launch", "policy platform init/order init/internal/confine/ladder init/keep/places init/keep/state init/keep/installed init/diagnose init/internal/confine/layers init/internal/confine/fsview init/internal/confine/seccomp init/internal/confine/cgroup init/internal/confine/userbus init/internal/confine/program init/internal/confine/privdir init/internal/confine/notify init/internal/confine/tally init/internal/confine/trialcalls", "golang.org/x/sys"},
	{"init/internal/why/hosts", "policy init/order init/notice init/explain init/internal/egress/match init/internal/egress/addresses init/internal/confine/seccomp", ""},
	{"init/internal/why/files", "policy init/order init/explain init/internal/confine/fsview", "golang.org/x/sys"},
	{"init/internal/supervise/shim", "policy platform init/order init/keep/places init/keep/state init/notice init/diagnose init/internal", "golang.org/x/sys"},
	{testOnly, "policy platform init/order init/reexec launcher init/internal scripts/testbed", "golang.org/x/sys github.com/creack/pty"},
	{"init/reexec", "policy platform init/order init/notice init/internal/supervise/ending init/internal/supervise/report init/internal/confine/seccomp init/internal/limitsonly init/internal/supervise/shim", "golang.org/x/sys"},
	{"init/ask", "policy platform init/order init/reexec init/internal/confine/launch init/internal/supervise/shim init/internal/limitsonly init/internal/confine/seccomp init/internal/egress/dial init/internal/why", ""},
	{"launcher", "policy platform platform/folder init/order init/ask init/diagnose init/reexec launcher/doctor", "golang.org/x/sys"},
	{"launcher/doctor", "policy platform init/order init/diagnose", "golang.org/x/sys"},
	{"launcher/packages/store", "init/keep/places init/keep/state platform/folder launcher/packages/startline launcher/packages/internal/tree policy/text", "golang.org/x/sys"},
	{"launcher/packages/internal/tree", "platform/folder", "golang.org/x/sys"},
	{"launcher/packages/startline", "policy/text", "golang.org/x/mod/module"},
	{"launcher/packages/install", "policy platform init/order init/keep/places init/runtimes launcher launcher/packages/store launcher/packages/startline launcher/packages/install", ""},
	{"launcher/packages/install/npm", "platform init/order launcher/packages/startline launcher/packages/install/internal/job", ""},
	{"launcher/packages/install/python", "platform init/order launcher/packages/startline launcher/packages/install/internal/job", ""},
	{"launcher/packages/install/golang", "platform launcher/packages/startline launcher/packages/install/internal/job", "golang.org/x/mod/module"},
	{"launcher/packages/install/internal/job", "policy platform init/order launcher launcher/packages/startline launcher/packages/internal/tree", ""},
	{"scripts/testbed/registrytest", "", "golang.org/x/mod"},
	{"cmd/internal/serve/principal", "", "golang.org/x/sys github.com/coreos/go-oidc/v3"},
	{"cmd/page", "policy platform init/order", ""},
	{"cmd", "policy platform cmd/internal/mcphosts init/ask init/order init/keep/reports init/runtimes init/keep/state init/notice init/keep/places init/explain init/reexec launcher launcher/packages/profile launcher/packages/store cmd/internal cmd/page", "golang.org/x/sys github.com/spf13/pflag github.com/rogpeppe/go-internal/diff github.com/tailscale/hujson github.com/pelletier/go-toml/v2 go.yaml.in/yaml"},
	{"cmd/mcp-sandbox", "policy cmd/mcp-sandbox init/ask init/order init/keep/reports init/runtimes init/keep/state init/notice init/keep/places init/explain init/reexec launcher platform launcher/packages/profile launcher/packages/store cmd/internal cmd/page", "github.com/spf13/pflag"},
	{"launcher/packages/profile", "policy platform init/order init/notice init/explain init/keep/places launcher/packages/startline", ""},
	{"scripts/profiles", "policy init/reexec launcher launcher/packages/profile launcher/packages/store scripts/stage scripts/testbed", "golang.org/x/net/dns/dnsmessage github.com/modelcontextprotocol/go-sdk"},
	{"scripts", "policy platform init/order init/reexec launcher cmd/page scripts", "golang.org/x/sys github.com/modelcontextprotocol/go-sdk go.yaml.in/yaml"},
	{"scripts/testbed/scripttest", "", "github.com/rogpeppe/go-internal"},
	{"testdata", "scripts/testbed", "github.com/modelcontextprotocol/go-sdk golang.org/x/sys"},
}

// testOnly is what tests of init share, and testsAlone is all that none but a test may import.
const testOnly = "init/internal/test"

var testsAlone = []string{testOnly, "scripts/testbed/scripttest", "scripts/testbed/registrytest"}

func below(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

func ruleOf(dir string) *rule {
	var found *rule
	for i := range rules {
		if below(dir, rules[i].dir) && (found == nil || len(rules[i].dir) > len(found.dir)) {
			found = &rules[i]
		}
	}
	return found
}

func (r *rule) allows(imported string) bool {
	own, inside := strings.CutPrefix(imported, module+"/")
	list := r.far
	if inside {
		imported, list = own, r.own
	} else if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library
	}
	return slices.ContainsFunc(strings.Fields(list), func(dir string) bool { return below(imported, dir) })
}

// Imports point one way. Tests may import what they like, but for what only one package may.
func TestImportDirections(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range sources(t) {
		r := ruleOf(s.dir)
		if r == nil {
			t.Errorf("%s: no rule says what it may import", s.path)
			continue
		}
		seen[r.dir] = true
		for _, p := range s.imports {
			if !s.test && !strings.Contains(s.dir, "/testdata/") && !r.allows(p) {
				t.Errorf("%s imports %s", s.path, p)
			}
		}
	}
	for _, r := range rules {
		if !seen[r.dir] && r.dir != "init/internal" {
			t.Errorf("a rule for %s, which is not there", r.dir)
		}
	}
}

// What tests share is linked into no program.
func TestTestsAloneImport(t *testing.T) {
	found := map[string]bool{}
	for _, s := range sources(t) {
		for _, p := range s.imports {
			for _, dir := range testsAlone {
				shared := below(p, module+"/"+dir)
				if found[dir] = found[dir] || shared; shared && !s.test && !below(s.dir, dir) {
					t.Errorf("%s imports %s", s.path, p)
				}
			}
		}
	}
	for _, dir := range testsAlone {
		if !found[dir] {
			t.Errorf("nothing imports %s: the test looks for the wrong thing", dir)
		}
	}
}

// One package each, in tests too; YAML are a lock file of pnpm, files of MCP hosts, and the descriptions of CI that
// scripts read.
func TestImportedByOneOnly(t *testing.T) {
	owners := map[string]string{
		"github.com/landlock-lsm/go-landlock": "init/internal/confine/layers", "github.com/spf13/pflag": "cmd",
		"github.com/coreos/go-oidc":         "cmd/internal/serve/principal",
		"github.com/elastic/go-seccomp-bpf": "init/internal/confine/seccomp", "github.com/godbus/dbus": "init/internal/confine/userbus",
		"go.yaml.in/yaml":             "scripts cmd/internal/mcphosts/edit cmd/mcp-sandbox",
		"github.com/tailscale/hujson": "cmd/internal/mcphosts/edit cmd/mcp-sandbox", "github.com/pelletier/go-toml": "cmd/internal/mcphosts/edit cmd/mcp-sandbox",
	}
	used := map[string]bool{}
	for _, s := range sources(t) {
		for _, p := range s.imports {
			for lib, owner := range owners {
				if below(p, lib) {
					used[lib] = true
					if !slices.ContainsFunc(strings.Fields(owner), func(one string) bool { return below(s.dir, one) }) {
						t.Errorf("%s imports %s, which only %s may", s.path, p, owner)
					}
				}
			}
		}
	}
	if len(used) != len(owners) {
		t.Errorf("used are only %v", used)
	}
}

// What the compiler cannot check is in files that say so, and in few packages.
func TestUnsafeIsNamed(t *testing.T) {
	found := false
	for _, s := range sources(t) {
		raw := slices.Contains(s.imports, "unsafe")
		name := strings.TrimSuffix(strings.TrimSuffix(s.path, ".go"), "_test")
		named := strings.HasSuffix(name, "_unsafe_linux") || strings.HasSuffix(name, "_unsafe_windows") // there each structure is a pointer
		if raw && !named {
			t.Errorf("%s imports unsafe", s.path)
		}
		if named && !raw {
			t.Errorf("%s is named for unsafe and has none", s.path)
		}
		found = found || raw
		if slices.Contains(s.imports, "C") {
			t.Errorf("%s uses cgo", s.path)
		}
	}
	for _, name := range files(t) {
		if path.Ext(name) == ".s" && !below(name, "init/internal/confine/program") && !below(name, "init/internal/supervise/signals") {
			t.Errorf("%s: assembly", name)
		}
	}
	if !found {
		t.Error("nothing imports unsafe: the test looks in the wrong place")
	}
}
