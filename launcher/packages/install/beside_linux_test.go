package install

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Where PATH has neither npm nor node, as a desktop client's, the line with npx's whole path installs and starts: what
// lies beside npx comes last in PATH, and a folder of the project's does not.
func TestProgramTypedWithItsPath(t *testing.T) {
	t.Parallel()
	npx, err := exec.LookPath("npx")
	if err != nil {
		testbed.Missing(t, "npm", err.Error())
	}
	h := newHome(t, good()...)
	h.options.Env = []string{"PATH=" + testbed.Folder(t)}
	r := h.installsGood(t, npx)
	if got := r.Path("/first"); !strings.HasSuffix(got, ":/first:"+filepath.Dir(npx)) {
		t.Errorf("PATH is %s", got)
	}
	r.beside = "/home/ann/project/node_modules/.bin"
	if got := r.Path("/first"); !strings.HasSuffix(got, ":/first") {
		t.Errorf("PATH is %s", got)
	}
}
