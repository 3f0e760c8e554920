package install

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// pythonServer is an MCP server.
const pythonServer = `import json, sys
def main():
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["method"] == "initialize":
            result = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "python", "version": "1"}}
        elif asked["method"] == "tools/list":
            result = {"tools": [{"name": "greet", "inputSchema": {"type": "object"}}]}
        else:
            continue
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
`

// goServer is an MCP server that is compiled quickly.
const goServer = `package main

import (
	"bufio"
	"os"
	"strings"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		switch asked := lines.Text(); {
		case strings.Contains(asked, "\"initialize\""):
			os.Stdout.WriteString("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"go\",\"version\":\"1\"}}}\n")
		case strings.Contains(asked, "\"tools/list\""):
			os.Stdout.WriteString("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"tools\":[{\"name\":\"greet\",\"inputSchema\":{\"type\":\"object\"}}]}}\n")
		}
	}
}
`

// A server of each manager is installed, runs confined without any network, and answers.
func TestServers(t *testing.T) {
	long(t)
	t.Run("pypi", func(t *testing.T) {
		t.Parallel()
		h, _ := newPythonHome(t, wheel{Name: "mcp-server", Version: "1.0", Requires: []string{"dep"},
			Files: texts{"server.py": "import dep\n" + pythonServer}, Scripts: texts{"mcp-server": "server:main"}}, goodWheels()[1])
		h.answers(t, "uvx mcp-server@1.0")
	})
	t.Run("go", func(t *testing.T) {
		t.Parallel()
		h, _ := newGoHome(t, goModuleOf{Path: "example.com/mcp", Version: "v0.1.0", Files: texts{"cmd/server/main.go": goServer}})
		h.answers(t, "go run example.com/mcp/cmd/server@v0.1.0")
	})
}

// answers starts the server of a line in its sandbox, twice: the second time nothing is installed.
func (h *home) answers(t *testing.T, line string) {
	t.Helper()
	for i := range 2 {
		r := h.must(t, line)
		if r.Installed != (i == 0) {
			t.Errorf("start %d: installed %v", i, r.Installed)
		}
		p := r.Package
		t.Log(r.Lines, p.Bytes)
		ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
		defer cancel()
		sb, err := launcher.Command(ctx, policy.Policy{MinConfinement: policy.Full}, launcher.Target{Path: r.Command[0],
			Args: r.Command[1:], Env: append([]string{"HOME=" + h.path, "PATH=" + r.PathDir + ":/usr/bin:/bin"}, r.Env...),
			Package: &launcher.PackageID{Manager: p.Manager, Spec: r.Package.Specs[0], Name: p.Name, Version: p.Version,
				Integrity: p.Integrity, Registry: p.Registry, Path: p.Path}})
		if err != nil {
			t.Fatal(err)
		}
		defer sb.Close()
		in, _ := sb.Cmd.StdinPipe()
		out, _ := sb.Cmd.StdoutPipe()
		sb.Cmd.Stderr = os.Stderr
		began := time.Now()
		if err := sb.Cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`+"\n")
		lines := bufio.NewScanner(out)
		if !lines.Scan() || !strings.Contains(lines.Text(), "serverInfo") {
			t.Fatalf("%s, %v", lines.Text(), lines.Err())
		}
		t.Logf("initialize was answered %s after the start", time.Since(began))
		io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
		if !lines.Scan() || !strings.Contains(lines.Text(), `"greet"`) {
			t.Fatalf("%s, %v", lines.Text(), lines.Err())
		}
		in.Close()
		sb.Cmd.Wait()
		result, err := sb.Wait(ctx)
		if err != nil || len(result.Denied) > 0 {
			t.Errorf("%+v, %v", result, err)
		}
	}
}
