package escape_test

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A level is what the table is tried at, by the policy that asks for it. STAGE is the scene's folder.
type level struct {
	name, doc string
	also      string // errnos that are as good a refusal here, for the level or the confinement refuses sooner
	reduced   bool   // on a machine that gives no namespaces
}

// standard is the level of the stories.
func standard() level { return levels()[0] }

// weaker is a level where the machine gives no namespaces. What it cannot hold it holds only if it is told so.
func (l level) weaker() level {
	l.doc = strings.Replace(l.doc, `"version":1,`, `"version":1,"minConfinement":"reduced",`, 1)
	l.also += " EACCES EPERM EAFNOSUPPORT"
	l.reduced = true
	return l
}

const grants = `"allowRead":["STAGE/read"],"allowWrite":["STAGE/write"],"denyRead":["STAGE/write/a/b/secret"],"denyWrite":["STAGE/write/c/d/frozen"],"tmpSize":"8M"},"cwd":"STAGE/read"}`

func levels() []level {
	return []level{
		{"standard", `{"version":1,"filesystem":{` + grants, "", false},
		{"network", `{"version":1,"level":"network","filesystem":{` + grants, "", false},
		{"strict", `{"version":1,"level":"strict","filesystem":{` + grants, "EROFS EPERM", false},
		{"read", `{"version":1,"filesystem":{"default":"read",` + grants, "", false},
		{"domains", `{"version":1,"network":{"allowedDomains":["api.example.com","*.example.net"]},"filesystem":{` + grants, "", false},
	}
}

func landlockABI(t *testing.T) int {
	t.Helper()
	abi, err := platform.LandlockABI()
	if err != nil {
		t.Fatal(err)
	}
	return abi
}

// needLandlock skips what confinement reduced cannot be had for.
func needLandlock(t *testing.T) {
	t.Helper()
	if landlockABI(t) == 0 {
		testbed.Missing(t, "landlock", "without Landlock there is no confinement reduced")
	}
}
