package lasting_test

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// One launch installs into a stage of the store, and another starts from the package. A prune spares the package while
// that one runs, and what ran had no chance to change the package.
func TestInstallAndStart(t *testing.T) {
	eachShelf(t, func(t *testing.T, s *shelf) {
		if s.begin == "limits" {
			t.Skip("limits holds no files back")
		}
		s.must(os.RemoveAll(s.home + "/.local/share/mcp-sandbox"))
		disk, err := store.Open(os.Getenv)
		s.must(err)
		defer disk.Close()
		spec, err := startline.ParseSpec("npm:@x/y@1.0.0")
		s.must(err)
		stage, err := disk.Begin(t.Context(), store.Wanted{Manager: "npm", Specs: []startline.Spec{spec}}, func(string) {})
		s.must(err)
		defer stage.Abort()
		if os.Geteuid() == 0 {
			s.must(stage.Give(65533, 65533))
		}
		r := s.server(order.Stored{Stage: stage.Folder}, "", "/bin/sh", "-c", `cd "$1" && mkdir node_modules &&
			echo '#!/bin/sh
echo I am installed' >node_modules/program && chmod 755 node_modules/program && echo {} >package-lock.json`, "sh", stage.Folder)
		if r.Wait(); r.Code != 0 {
			t.Fatalf("install: %d\n%s", r.Code, &r.Stderr)
		}
		p, err := stage.Commit(store.Package{Identity: store.Identity{Ecosystem: "npm", Name: "@x/y", Version: "1.0.0"},
			Contents: store.Contents{Lock: "package-lock.json"}})
		s.must(err)
		s.must(stage.Abort())
		stored := s.id()
		stored.Package.Path = p.Path
		grant := visible(t)
		s.must(os.Chmod(grant, 0o777))
		r = s.server(stored, `"allowWrite":["`+grant+`"]`, "/bin/sh", "-c", `"$1/node_modules/program"; rm -rf "$1"
			echo more >>"$1/package-lock.json"; true >"$2/done"; exec sleep 100`, "sh", p.Path, grant)
		r.Began()
		testbed.Await(t, "the server's attempts", func() bool { _, err := os.Stat(grant + "/done"); return err == nil })
		s.must(p.Check())
		s.must(p.Touch())
		s.must(disk.Forget(store.Resolution{Manager: "npm", Specs: p.Specs}))
		if pruned, err := disk.Prune(0); err != nil || len(pruned.Removed) > 0 || len(pruned.InUse) != 1 {
			t.Errorf("while a server runs: %+v, %v", pruned, err)
		}
		r.Cmd.Process.Signal(syscall.SIGTERM)
		if r.Wait(); !strings.Contains(r.Stdout.String(), "I am installed\n") {
			t.Errorf("%d %q\n%s", r.Code, &r.Stdout, &r.Stderr)
		}
		s.must(p.Check())
		if pruned, err := disk.Prune(0); err != nil || len(pruned.Removed) != 1 {
			t.Errorf("afterwards: %+v, %v", pruned, err)
		}
		r = s.server(stored, "", p.Path+"/node_modules/program")
		if r.Wait(); r.Code != 125 || !strings.Contains(r.Stderr.String(), "not in the store") {
			t.Errorf("a pruned package: %d\n%s", r.Code, &r.Stderr)
		}
	})
}
