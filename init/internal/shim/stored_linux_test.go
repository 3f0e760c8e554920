package shim_test

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// stored is what the launch of a document has to do with the store of the tests: a package that the server sees, and a
// folder that the server writes.
func (s stage) stored(doc string) (all order.Stored) {
	if !strings.Contains(doc, fromStore) {
		return all
	}
	store := os.Getenv("XDG_DATA_HOME") + "/mcp-sandbox/store"
	all.Package = &order.PackageID{Name: "x", Path: store + "/npm/x/" + filepath.Base(s.dir)}
	all.Stage = store + "/stages/" + filepath.Base(s.dir)
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
