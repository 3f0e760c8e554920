package lasting_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What a root launcher hides behind folders that the server's user may not enter stays hidden when these open, and
// when the host puts a new file in its place.
func TestClosedFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's servers have other ids")
	}
	for _, c := range []struct{ name, grants string }{
		{"host's root", `"default":"read","denyRead":["%/in/secret","%/in/file"]`},
		{"read grant", `"allowRead":["%"],"denyRead":["%/in/secret","%/in/file"]`},
		{"write grant", `"allowWrite":["%"],"denyRead":["%/in/secret","%/in/file"],"denyWrite":["%/in/fixed"]`},
		{"write grant, nested", `"allowWrite":["%"],"denyRead":["%/in/deep/secret","%/in/secret","%/in/file"]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			newHouse(t, "")
			closed := visible(t)
			for _, folder := range []string{"/in", "/in/secret", "/in/deep", "/in/deep/secret", "/in/fixed"} {
				if err := os.Mkdir(closed+folder, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(closed+folder+"/key", []byte(filepath.Base(folder)+" key\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			os.WriteFile(closed+"/in/file", []byte("file key\n"), 0o644)
			for _, folder := range []string{closed, closed + "/in/fixed"} {
				if err := os.Chmod(folder, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(closed+"/in", 0o700); err != nil {
				t.Fatal(err)
			}
			doc := `{"version":1,"minConfinement":"full","filesystem":{` + strings.ReplaceAll(c.grants, "%", closed) + `}}`
			said := filepath.Join(t.TempDir(), "out")
			heard := func(text string) func() bool {
				return func() bool {
					b, _ := os.ReadFile(said)
					return strings.Contains(string(b), text)
				}
			}
			out, err := os.Create(said)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			cmd := host.Launch{Policy: doc, Command: []string{"/bin/sh", "-c", `cd ` + closed + ` || exit 4
				cat in/deep/key && exit 3; echo started
				while ! cat in/deep/key 2>/dev/null; do sleep 0.05; done
				cat in/secret/* in/file; rm in/fixed/key; ls in/secret
				while ! cat in/later 2>/dev/null; do sleep 0.05; done; cat in/file; : `}}.Cmd(t)
			cmd.Stdout = out
			r := host.Start(t, cmd)
			e := r.Began()
			testbed.Await(t, "the server's start", heard("started"))
			os.Chmod(closed+"/in", 0o755)
			testbed.Await(t, "the control", heard("deep key"))
			os.Chmod(closed+"/in", 0o700)
			os.WriteFile(closed+"/in/new", []byte("file key again\n"), 0o644)
			os.Rename(closed+"/in/new", closed+"/in/file")
			testbed.Await(t, "the cover of the new file", func() bool { return host.Mounted(e.PID, closed+"/in/file") })
			os.WriteFile(closed+"/in/later", []byte("later\n"), 0o644)
			os.Chmod(closed+"/in", 0o755)
			r.Wait()
			if r.Code != 0 || heard("secret key")() || heard("file key")() || !heard("later")() {
				all, _ := os.ReadFile(said)
				t.Errorf("%d, %q\n%s", r.Code, all, &r.Stderr)
			}
			if strings.Contains(c.grants, "fixed") {
				if _, err := os.Stat(closed + "/in/fixed/key"); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// visible is a folder that a server in the host's root sees.
func visible(t *testing.T) string {
	folder, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	return folder
}

// A root launcher whose home is closed, as root's is, hides its states from servers in the host's root.
func TestClosedHome(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root's servers have other ids")
	}
	h := newHouse(t, "")
	h.home = visible(t)
	t.Setenv("HOME", h.home)
	if r := h.run("", ": >~/token"); r.Code != 0 {
		t.Fatalf("%d\n%s", r.Code, &r.Stderr)
	}
	for _, mode := range []os.FileMode{0o755, 0o700} {
		for _, folder := range []string{"", "/.local", "/.local/state"} {
			os.Chmod(h.home+folder, mode)
		}
		doc := `{"version":1,"minConfinement":"full","filesystem":{"default":"read"}}`
		r := host.Finish(t, host.Launch{Policy: doc, Command: []string{"/bin/sh", "-c", "cd " + h.home +
			"/.local/state/mcp-sandbox && ls"}}.Cmd(t))
		if refused := mode == 0o700; r.Code == 125 || refused == (r.Code == 0) || r.Stdout.String() != "" {
			t.Errorf("%o: %d %q\n%s", mode, r.Code, &r.Stdout, &r.Stderr)
		}
	}
}
