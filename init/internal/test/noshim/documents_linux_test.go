package noshim

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
)

// documents are those of whose calls each is taken away: all that need no shim.
var documents = slices.DeleteFunc(slices.Clone(altered.Documents), func(d altered.Document) bool {
	return d.Name == "terminal" || d.Name == "standard-in-tmp" || strings.HasPrefix(d.Name, "reduced")
})

// plain is a document that covers nothing.
var plain = altered.Document{Name: "plain", Below: "/var/tmp", Text: `{"version":1,"filesystem":{
	"allowRead":["STAGE/read"],"allowWrite":["STAGE/write","STAGE/file"]},
	"umask":"0027","seccomp":{"deny":["getcwd"]}}`}

// build makes a stage in which nothing has to be covered.
func build(tb testing.TB, below string) altered.Stage {
	tb.Helper()
	s := altered.Build(tb, below)
	for _, name := range []string{"write/.git", "write/deep/.git"} {
		if err := os.RemoveAll(s.Path(name)); err != nil {
			tb.Fatal(err)
		}
	}
	return s
}
