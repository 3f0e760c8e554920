package install

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
	"github.com/security-mcp/mcp-sandbox/store/startline"
)

// A fault is a package manager whose registry behaves badly.
type fault struct {
	name   string
	home   func(*testing.T) (*home, func(registrytest.Behaviour))
	line   string
	words  map[registrytest.Moment]string // whom a silent registry leaves waiting, and for what
	inside string                         // a variable of the manager's own with a path in the stage
}

var faults = []fault{
	{"pypi", func(t *testing.T) (*home, func(registrytest.Behaviour)) {
		h, x := newPythonHome(t, goodWheels()...)
		return h, x.Behave
	}, "pipx run good-tool", map[registrytest.Moment]string{registrytest.AtMetadata: "waits for good-tool from ",
		registrytest.AtArchive: "waits for good-tool from ", registrytest.AmidArchive: "waits for the archive of good-tool from "},
		"PIP_CONFIG_FILE="},
	{"go", func(t *testing.T) (*home, func(registrytest.Behaviour)) {
		h, p := newGoHome(t, goTool("example.com/tool"), goDep)
		return h, p.Behave
	}, "go run example.com/tool@v1.0.0", map[registrytest.Moment]string{
		registrytest.AtMetadata: "go waits for example.com/tool@v1.0.0 from ",
		registrytest.AtArchive:  "go waits for the archive of example.com/tool@v1.0.0 from "}, "GOMODCACHE="},
}

// A silent registry ends an install, the end of the context does so within 3 s, and two starts at once install once.
func TestFaults(t *testing.T) {
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			h, behave := f.home(t)
			h.options.stall = 5 * time.Second
			for moment, words := range f.words {
				behave(registrytest.Behaviour{Hang: moment})
				h.refused(t, f.line, "nothing came for 5s", words+"http://127.0.0.1:")
			}
			h.options.stall = 0
			behave(registrytest.Behaviour{Hang: registrytest.AtArchive})
			f.cancelled(t, h)
			h.nothingLeft(t)
			behave(registrytest.Behaviour{})
			f.twice(t, h)
		})
	}
}

func (f *fault) cancelled(t *testing.T, h *home) {
	start, err := startline.Parse(strings.Fields(f.line))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("the user's signal")
	over := make(chan error)
	go func() {
		_, err := Prepare(ctx, h.store, start, h.options)
		over <- err
	}()
	for until := time.Now().Add(testbed.Patience()); f.running(h) == 0 && time.Now().Before(until); {
		time.Sleep(20 * time.Millisecond)
	}
	if f.running(h) == 0 {
		t.Error("no process of the install was seen")
	}
	time.Sleep(time.Second)
	cancel(cause)
	began := time.Now()
	if err := <-over; !errors.Is(err, cause) || time.Since(began) > 3*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	if n := f.running(h); n > 0 {
		t.Errorf("%d processes of the install", n)
	}
}

// running counts the processes of installs in a home.
func (f *fault) running(h *home) (n int) {
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, p := range processes {
		if b, _ := os.ReadFile(p); strings.Contains(string(b), f.inside+h.store.Path) {
			n++
		}
	}
	return n
}

func (f *fault) twice(t *testing.T, h *home) {
	var both [2]*Ready
	var together sync.WaitGroup
	for i := range both {
		together.Go(func() { both[i], _ = h.prepare(t, f.line) })
	}
	together.Wait()
	if both[0] == nil || both[1] == nil || both[0].Installed == both[1].Installed || both[0].Package.Path != both[1].Package.Path {
		t.Errorf("%+v, %+v", both[0], both[1])
	}
}

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
	t.Run("pypi", func(t *testing.T) {
		h, _ := newPythonHome(t, wheel{Name: "mcp-server", Version: "1.0", Requires: []string{"dep"},
			Files: texts{"server.py": "import dep\n" + pythonServer}, Scripts: texts{"mcp-server": "server:main"}}, goodWheels()[1])
		h.answers(t, "uvx mcp-server@1.0")
	})
	t.Run("go", func(t *testing.T) {
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
