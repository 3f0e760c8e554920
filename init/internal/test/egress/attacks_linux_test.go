package egress_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// attacks are what has been tried against lists of names here and elsewhere, and the test of each. A test in another
// package has its folder before it. An attack without a test has its reason.
func attacks() []struct{ attack, test string } {
	return []struct{ attack, test string }{
		{"an empty list means all", "TestEmptyList"},
		{"NUL or a dot in a label", "TestQuestions"},
		{"a zone id in a name", "TestQuestions"},
		{"addresses in other words: 127.1, 0x7f.1, 2130706433", "TestQuestions"},
		{"names that end or begin alike", "TestStars TestQuestions"},
		{"a dot at the end, case, 0x20", "TestReach TestQuestions"},
		{"homographs: an entry is ASCII", "policy TestParseDomain"},
		{"plain HTTP, which is not filtered", "TestReach TestPrograms"},
		{"a program that ignores variables of proxies", "TestPrograms"},
		{"a relay inside, which gains nothing", "TestReach"},
		{"a list that is lost when settings change: it is one launch's", "-: nothing changes a list while the server runs"},
		{"an address without a lookup", "TestReach"},
		{"the redirector's own port", "TestReach TestUDP"},
		{"a name that resolves to an address inside", "TestAddressesOfNames"},
		{"the cloud's metadata", "TestAddressesOfNames"},
		{"the host's own addresses", "TestAddressesOfNames TestLocalhost"},
		{"names that legally mean the host", "TestQuestions TestLocalhost"},
		{"a tunnel through DNS", "TestQuestions"},
		{"a tunnel through a star's labels", "TestTunnelByLabels"},
		{"a lookup before the check", "TestQuestions TestReach TestFloodOfRefusals"},
		{"time and count of allowed lookups", "TestAnswers"},
		{"another server name at the same address", "TestServerName"},
		{"a ClientHello in pieces, too long, behind junk", "TestServerName"},
		{"no server name", "TestServerName"},
		{"hints of HTTPS and SVCB records", "TestQuestions"},
		{"QUIC, NTP, mDNS", "TestUDP"},
		{"other protocols and kinds of sockets", "init/internal/test/escape TestStories"},
		{"a UNIX socket to a daemon", "init/internal/test/escape TestStories"},
		{"a descriptor of the launcher's", "TestSocketsOfTheLauncher"},
		{"a socket beside the launcher's", "TestSocketsOfTheLauncher"},
		{"routes, addresses, sysctls", "TestNetworkStays"},
		{"a flood of names, of connections", "TestFloodOfRefusals TestConnectionsAtOnce"},
		{"memory for pipes", "TestBusyStreams"},
		{"a connection that says nothing", "TestSilentConnection"},
		{"forged lines", "TestQuestions"},
		{"steering the launcher's proxy", "TestCompanyProxy"},
		{"the proxy's password", "TestCompanyProxy TestProxyNotToBeHad"},
		{"exceptions from the proxy", "TestCompanyProxy"},
		{"a denial under a wide entry", "TestStars TestLiteralsOfNames"},
		{"an address kept after its name moved", "TestMovedName"},
		{"two names of one address", "TestTwoNamesOfOneAddress"},
		{"a connection to itself", "TestSelfConnect"},
		{"a listener of the server's own", "TestReach TestSocketsOfTheLauncher"},
		{"an allowed host that serves everybody: cannot be held", "-: nothing on the wire tells it from what is wanted"},
		{"a shim that dies", "TestShimDies"},
	}
}

// Each test that the table names exists, and those of this folder are tried in both confinements.
func TestAttacks(t *testing.T) {
	if n := len(attacks()); n != 45 {
		t.Errorf("%d attacks", n)
	}
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	const own = "init/internal/test/egress"
	for i, a := range attacks() {
		if strings.HasPrefix(a.test, "-: ") {
			continue
		}
		folder, names := own, strings.Fields(a.test)
		if !strings.HasPrefix(names[0], "Test") {
			folder, names = names[0], names[1:]
		}
		all := testsOf(t, filepath.Join(root, folder))
		for _, name := range names {
			if test := all[name]; test == nil {
				t.Errorf("attack %d, %s: no %s in %s", i+1, a.attack, name, folder)
			} else if folder == own && !calls(test, "both", "beside") {
				t.Errorf("attack %d, %s: %s is of one confinement", i+1, a.attack, name)
			}
		}
	}
}

func testsOf(t *testing.T, folder string) map[string]*ast.FuncDecl {
	t.Helper()
	all := map[string]*ast.FuncDecl{}
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				all[f.Name.Name] = f
			}
		}
	}
	return all
}

// calls reports whether a function has a call of one of these.
func calls(f *ast.FuncDecl, names ...string) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			name, ok := c.Fun.(*ast.Ident)
			found = found || ok && slices.Contains(names, name.Name)
		}
		return !found
	})
	return found
}
