package shim_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// grants are policies that any confinement can hold.
const (
	grants        = `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write"]}}`
	denies        = `{"version":1,"filesystem":{"allowRead":["STAGE/read"],"allowWrite":["STAGE/write"],"denyRead":["STAGE/read/secret"]}}`
	denied        = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":["STAGE/read/secret"]}}`
	named         = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"network":{"allowedDomains":["a.example"]}}`
	denied80      = `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"network":{"deniedDomains":["a.example:80"]}}`
	strictGrants  = `{"version":1,"level":"strict","subprocess":{"allow":true},"filesystem":{"allowRead":["STAGE/write"]}}`
	networkGrants = `{"version":1,"level":"network","filesystem":{"allowWrite":["STAGE/write"]}}`
)

// Without a mechanism a launch has less confinement and says so, or it is refused: never anything else.
func TestLadder(t *testing.T) {
	lacks := func(l ...testbed.Lack) []testbed.Lack { return l }
	for _, c := range []struct {
		name  string
		lacks []testbed.Lack
		doc   string
		want  string // the confinement; "" if it is refused
		says  string // on standard error
	}{
		{"nothing", nil, grants, "full", ""},
		{"nothing, network", nil, networkGrants, "full", ""},
		{"user namespaces", lacks(testbed.NoUserNamespaces), grants, "reduced", "user.max_user_namespaces"},
		{"network namespaces", lacks(testbed.NoNetNamespaces), grants, "reduced", "user.max_net_namespaces"},
		{"network namespaces, network", lacks(testbed.NoNetNamespaces), networkGrants, "full", ""},
		{"mount namespaces", lacks(testbed.NoMountNamespaces), grants, "reduced", "namespaces: clone"},
		{"clone", lacks(testbed.NoClone), grants, "reduced", "kernel.unprivileged_userns_clone"},
		{"mounts", lacks(testbed.NoMount), grants, "reduced", "apparmor_restrict_unprivileged_userns"},
		{"mounts, network", lacks(testbed.NoMount), networkGrants, "reduced", "operation not permitted"},
		{"Landlock", lacks(testbed.NoLandlock), grants, "full", "landlock is absent"},
		{"user namespaces, full", lacks(testbed.NoUserNamespaces), altered.Weaker(grants, "full"), "", "minConfinement reduced"},
		{"user namespaces, strict", lacks(testbed.NoUserNamespaces), strictGrants, "", "minConfinement reduced"},
		{"mounts, full", lacks(testbed.NoMount), altered.Weaker(grants, "full"), "", "minConfinement reduced"},
		{"user namespaces, a denial", lacks(testbed.NoUserNamespaces), denies, "", "or write out that it need not hold: minConfinement reduced)"},
		{"user namespaces, a denial, written out", lacks(testbed.NoUserNamespaces), altered.Weaker(denies, "reduced"), "reduced", "does not hold"},
		{"user namespaces, a denial of nothing", lacks(testbed.NoUserNamespaces), denied, "reduced", "the confinement is reduced"},
		{"nothing, domains", nil, named, "full", ""},
		{"network namespaces, domains", lacks(testbed.NoNetNamespaces), named, "reduced", "the confinement is reduced"},
		{"network namespaces and a listener, domains", lacks(testbed.NoNetNamespaces, testbed.NoListener), named, "", "or take level network, which opens every host; or write out that the list need not hold: minConfinement reduced)"},
		{"user namespaces, domains", lacks(testbed.NoUserNamespaces), named, "reduced", "the confinement is reduced"},
		{"user namespaces and a listener, domains", lacks(testbed.NoUserNamespaces, testbed.NoListener), named, "", "policy: network.allowedDomains a.example: cannot be held by confinement reduced"},
		{"user namespaces and a listener, altered.Domains, written out", lacks(testbed.NoUserNamespaces, testbed.NoListener), altered.Weaker(named, "reduced"), "reduced", "network.allowedDomains does not hold: the server has no network"},
		{"user namespaces, denied domains", lacks(testbed.NoUserNamespaces), denied80, "reduced", "the confinement is reduced"},
		{"everything, altered.Domains, limits", lacks(testbed.NoUserNamespaces, testbed.NoLandlock, testbed.NoSeccomp), altered.Weaker(named, "limits"), "limits", "the server has the host's network; network.allowedDomains and deniedDomains do not hold"},
		{"user namespaces and Landlock", lacks(testbed.NoUserNamespaces, testbed.NoLandlock), grants, "", "@sandbox where systemd knows that set; or let the server start with less confinement: minConfinement limits"},
		{"user namespaces and Landlock, limits", lacks(testbed.NoUserNamespaces, testbed.NoLandlock), altered.Weaker(grants, "limits"), "limits", "the confinement is limits"},
		{"seccomp, limits", lacks(testbed.NoSeccomp), altered.Weaker(grants, "limits"), "limits", "seccomp is absent"},
		{"everything, limits", lacks(testbed.NoUserNamespaces, testbed.NoLandlock, testbed.NoSeccomp), altered.Weaker(grants, "limits"), "limits", "landlock is absent"},
		{"links of namespaces", lacks(testbed.NoNamespaceLinks), grants, "reduced", "/proc shows no namespaces"},
		{"links of namespaces and Landlock", lacks(testbed.NoNamespaceLinks, testbed.NoLandlock), grants, "", "minConfinement limits"},
		{"links of namespaces and Landlock, limits", lacks(testbed.NoNamespaceLinks, testbed.NoLandlock), altered.Weaker(grants, "limits"), "limits", "/proc shows no namespaces"},
		{"links of namespaces, privileged", lacks(testbed.NoNamespaceLinks), `{"version":1,"level":"privileged"}`, "none", "NOTHING IS CONFINED"},
		{"nothing, limits", nil, altered.Weaker(grants, "limits"), "full", ""},
		{"nothing, privileged", nil, `{"version":1,"level":"privileged"}`, "none", "NOTHING IS CONFINED"},
		{"everything, privileged", lacks(testbed.NoUserNamespaces, testbed.NoLandlock, testbed.NoSeccomp), `{"version":1,"level":"privileged"}`, "none", "NOTHING IS CONFINED"},
		{"seccomp", lacks(testbed.NoSeccomp), grants, "", "seccomp: seccomp: invalid argument (a filter takes a kernel with CONFIG_SECCOMP_FILTER"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := build(t, "")
			l := s.Launch(c.doc, "mark")
			l.Policy, l.Begin, l.Verbose = strings.ReplaceAll(c.doc, "STAGE", s.Dir), "", true
			l.Prepare = func(cmd *exec.Cmd) { testbed.Machine{Lacks: c.lacks}.Put(t, cmd) }
			if c.doc == strictGrants {
				l.Command = []string{"/bin/echo", "ran"}
			}
			o := altered.Run(t, l)
			if !strings.Contains(o.Stderr, c.says) {
				t.Errorf("said\n%s\nwithout %q", o.Stderr, c.says)
			}
			if c.want == "" {
				if o.Code != 125 || o.Event() != "refused" || len(o.Report) != 1 || s.Ran(&o, "mark") {
					t.Fatalf("code %d, %q, %v\n%s", o.Code, o.Stdout, o.Report, o.Stderr)
				}
				return
			}
			if o.Code != 0 || len(o.Report) != 2 || o.Report[0]["confinement"] != c.want || !s.Ran(&o, "mark") {
				t.Fatalf("code %d, %q, %v\n%s", o.Code, o.Stdout, o.Report, o.Stderr)
			}
		})
	}
}
