package readme

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hello is a client's first message, in a file that is the input of whatever is started.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":` +
	`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"readme","version":"1"}}}` + "\n"

const answer = `{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"stand-in","version":"1"}}}`

// The programs for which README's reader has a network have stand-ins: a server of the same name, and what would fetch it.
const (
	filesServer = "#!/bin/sh\nread -r line\necho yes >\"$1/written\" || exit 9\necho '" + answer + "'\n"
	nodeServer  = `process.stdin.once("data", () => { console.log('` + answer + `'); process.exit(0) })` + "\n"
	npx         = `#!/bin/sh
read -r line
[ "$*" = "-y @notionhq/notion-mcp-server" ] && [ -n "$NOTION_TOKEN" ] || exit 1
echo '` + answer + `'
`
	npm = `#!/bin/sh
[ "$*" = "install --prefix $HOME/servers @modelcontextprotocol/server-filesystem" ] || exit 1
`
)

// home makes the home of README's reader, with what the examples begin with. What is granted every uid may write to, for
// a root launcher's server is another user; the home itself nobody else, as for a state. stands is the folder of the
// stand-ins.
func home(t *testing.T) (dir, stands string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		testbed.Missing(t, "node", "no node, which README's reader has")
	}
	dir, err := os.MkdirTemp(testbed.Scratch(t), "ann-")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"hello":             hello,
		"stands/npx":        npx,
		"stands/npm":        npm,
		"servers/server.js": nodeServer,
		"servers/node_modules/.bin/mcp-server-filesystem": filesServer,
		"notes/diary": "",
		"work/file":   "",
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
	return dir, filepath.Join(dir, "stands")
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

// environment is that of a reader, with nothing of the test's own.
func environment(home, stands string) []string {
	return []string{"HOME=" + home, "USER=ann", "PATH=" + stands + ":" + os.Getenv("PATH")}
}
