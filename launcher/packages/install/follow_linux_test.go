package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/platform"
)

// No start goes through long links without end: an entry names the path.
func TestLinksAreBounded(t *testing.T) {
	dir := platform.Resolved(t.TempDir())
	put(t, filepath.Join(dir, "real/npm"), "#!/bin/sh\n")
	for name, target := range map[string]string{"absolute": dir + "/real", "relative": "../" + filepath.Base(dir) + "/./real/",
		"two": "absolute", "loop": "loop", "none": "nowhere", "long": strings.Repeat("real/../", 128) + "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, bounded := range map[string]bool{"real": true, "absolute": true, "relative": true, "two": true, "long": false, "loop": false} {
		o := Options{Env: []string{"PATH=" + filepath.Join(dir, name)}, Dir: "/none"}
		f := newInstallation(nil, &startline.Start{Manager: "npm"}, o).from
		f.user = func() (job.User, error) { return job.User{}, nil }
		if found := f.find("npm", ""); (found != "") != bounded || bounded && f.path() == "" {
			t.Errorf("%s: found %q", name, found)
		}
		if _, err := authorityFiles(filepath.Join(dir, name)); errors.Is(err, platform.ErrManyNames) != (name == "long") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
