package altered

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/fsview"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// stored is what the launch of a document has to do with the store of the tests: a package that the server sees, and a
// folder that the server writes.
func (s Stage) Stored(doc string) (all order.Stored) {
	if !strings.Contains(doc, FromStore) {
		return all
	}
	store := os.Getenv("XDG_DATA_HOME") + "/mcp-sandbox/store"
	all.Package = &order.PackageID{Name: "x", Path: store + "/npm/x/" + filepath.Base(s.Dir)}
	all.Stage = store + "/.stages/" + filepath.Base(s.Dir) + "/package"
	for _, folder := range []string{all.Package.Path, all.Stage} {
		err := os.MkdirAll(folder, 0o700) // whatever the umask is
		if err == nil {
			err = os.Chmod(folder, 0o755)
		}
		if err != nil {
			panic(err)
		}
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(all.Stage, 65533, 65533); err != nil {
			panic(err)
		}
	}
	return all
}

// order is the order of a launch. The home of the server is the launcher's too: no program of a test depends on what
// lies in a real home.
func (l *Launch) order() (*order.Order, error) {
	p, err := policy.Parse([]byte(l.Policy))
	if err != nil {
		return nil, err
	}
	os.Setenv("HOME", order.Lookup(l.Env, "HOME"))
	o, err := order.New(p, policy.Library, l.Command, l.Env, l.Dir)
	if err == nil {
		o.Verbose, o.Stored, o.ReportFD, o.Begin = l.Verbose, l.Stored, reportFD, l.Begin
	}
	return o, err
}

// alterView has no other home than that one.
func (l *Launch) alterView(r *fsview.Request) { r.Homes = []string{os.Getenv("HOME")} }
