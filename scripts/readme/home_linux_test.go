package readme

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// hello is a client's first message, in a file that is the input of whatever is started.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"readme","version":"1"}}}` + "\n"

const answer = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"stand-in","version":"1"}}}`

// The servers of the examples have stand-ins of the same names: two in a registry, one in the home.
const (
	notionServer = "#!/bin/sh\nread -r line\n[ \"$NOTION_TOKEN\" ] || exit 1\necho '" + answer + "'\n"
	filesServer  = "#!/bin/sh\nread -r line\necho yes >\"$1/written\" || exit 9\necho '" + answer + "'\n"
	nodeServer   = `const fs = require("fs"), folder = process.argv[2]
const answer = () => { console.log('` + answer + `'); process.exit(0) }
process.stdin.once("data", () => {
  if (!folder) return answer() // one that needs nothing
  if (!process.env.ACME_TOKEN) process.exit(1)
  try { fs.writeFileSync(folder + "/of-acme", "") } catch { process.exit(9) }
  require("dns").lookup("api.acme.example", answer)
})
`
)

// published is a package of the registry, with one program.
func published(name, program, text string) registrytest.Package {
	return registrytest.Package{Name: name, Version: "1.0.0",
		Manifest: map[string]any{"bin": map[string]string{program: "server"}},
		Files:    []registrytest.File{{Name: "server", Text: text, Mode: 0o755}}}
}

// home makes the home of README's reader, with what the examples begin with. What is granted every uid may write to, for
// a root launcher's server is another user; the home itself nobody else, as for a state.
func home(t *testing.T) (dir string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testbed.Missing(t, "node", "no node, which README's reader has")
	}
	if _, err := exec.LookPath("npm"); err != nil {
		testbed.Missing(t, "npm", "no npm, which README's reader has")
	}
	registry := registrytest.New(t, published("@notionhq/notion-mcp-server", "notion-mcp-server", notionServer),
		published("@modelcontextprotocol/server-filesystem", "mcp-server-filesystem", filesServer))
	dir, err := os.MkdirTemp(testbed.Scratch(t), "ann-")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"hello":             hello,
		".npmrc":            "registry=" + registry.URL + "\n",
		"servers/server.js": nodeServer,
		"notes/diary":       "",
		"work/file":         "",
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, open := range []string{"work", "servers", "notes"} {
		if err := os.Chmod(filepath.Join(dir, open), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // read-only folders, which an ordinary user cannot remove
		exec.Command("chmod", "-R", "u+w", dir).Run()
	})
	return dir
}

// download puts into a folder what a reader takes from the releases: one archive of the programs as they are now, and
// the sums of all archives.
func download(t *testing.T, dir string) {
	t.Helper()
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("mcp-sandbox-v0.0.0-linux-%s", runtime.GOARCH)
	cmd := exec.Command("sh", "-euc", `
		umask 022
		mkdir -p "$1/pack/$2/apparmor" && cd "$1"
		cp "$3" "$4" pack/$2/
		cp "$5/README.md" pack/$2/
		cp "$5/scripts/dist/apparmor/mcp-sandbox" pack/$2/apparmor/
		tar -C pack -czf $2.tar.gz $2
		sha256sum $2.tar.gz >SHA256SUMS
		echo "$(printf %064d 0)  mcp-sandbox-v0.0.0-windows-amd64.zip" >>SHA256SUMS
		rm -r pack`, "sh", dir, name, testbed.Command(t, "mcp-sandbox"), testbed.Command(t, "mcp-sandbox-init"), root)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// environment is that of a reader, with nothing of the test's own but folders in front of PATH.
func environment(home string, folders ...string) []string {
	return []string{"HOME=" + home, "USER=ann", "PATH=" + strings.Join(append(folders, os.Getenv("PATH")), ":")}
}
