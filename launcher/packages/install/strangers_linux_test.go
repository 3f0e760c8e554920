package install

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What lies beside a program that the user did not choose is shown to nothing: it may be a link to any file of the user's.
// Nor is a password in a URL of the user's own files.
func TestFilesBesideAStrangersProgram(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"in the home", "elsewhere"} {
		h := newHome(t, good()...)
		folder := filepath.Join(h.path, "evil")
		if where == "elsewhere" {
			folder = testbed.Folder(t)
		}
		key := filepath.Join(h.path, ".ssh", "key")
		put(t, key, "registry=http://secret.example/\n")
		put(t, filepath.Join(folder, "bin", "npm"), `#!/bin/sh
for file in "${npm_config_userconfig%/*}" `+folder+"/etc/npmrc "+key+`; do
	! grep -rq 'secret.example\|s3cret' "$file" || { echo "saw $file" >&2; exit 3; }
done
grep -q elsewhere.example "$npm_config_userconfig" && echo "saw the rest" >&2
exit 3
`)
		if err := errors.Join(os.Mkdir(filepath.Join(folder, "etc"), 0o755), os.Symlink(key, filepath.Join(folder, "etc", "npmrc"))); err != nil {
			t.Fatal(err)
		}
		h.configure(t, "registry=http://ann:s3cret@elsewhere.example/\n")
		h.inFront(filepath.Join(folder, "bin"))
		h.options.stranger = true
		if _, err := h.prepare(t, "npx -y good"); err == nil || !strings.Contains(err.Error(), "saw the rest") {
			t.Errorf("%s: %v", where, err)
		}
	}
}
