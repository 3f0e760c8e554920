package install

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// installed are a package of testdata/npm and all that it needs, as a registry has them.
func installed(t *testing.T, name string) (all []pack) {
	t.Helper()
	modules := testbed.Modules(t)
	seen := map[string]bool{}
	var add func(folder string)
	add = func(folder string) {
		if seen[folder] {
			return
		}
		seen[folder] = true
		p := pack{Manifest: keys{}}
		text, err := os.ReadFile(filepath.Join(folder, "package.json"))
		if err == nil {
			err = json.Unmarshal(text, &p.Manifest)
		}
		if err != nil {
			t.Fatal(err)
		}
		p.Name, p.Version = p.Manifest["name"].(string), p.Manifest["version"].(string)
		p.Files = contentsOf(t, folder)
		all = append(all, p)
		for _, kind := range []string{"dependencies", "peerDependencies"} {
			needed, _ := p.Manifest[kind].(map[string]any)
			for dep := range needed {
				for at := folder; strings.HasPrefix(at, modules); at = filepath.Dir(at) {
					if isThere(filepath.Join(at, "node_modules", dep), "package.json") {
						add(filepath.Join(at, "node_modules", dep))
						break
					} else if at == modules && isThere(filepath.Join(at, dep), "package.json") {
						add(filepath.Join(at, dep))
					}
				}
			}
		}
	}
	add(filepath.Join(modules, name))
	return all
}

// contentsOf are the files of a package's folder.
func contentsOf(t *testing.T, folder string) (files []file) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "node_modules" {
			return filepath.SkipDir
		}
		rel, _ := filepath.Rel(folder, path)
		if !d.Type().IsRegular() || rel == "package.json" {
			return nil
		}
		b, err := os.ReadFile(path)
		info, _ := d.Info()
		files = append(files, file{Name: rel, Text: string(b), Mode: int64(info.Mode().Perm())})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A real server, by the line of each manager, answers a client from a launch without any network, the second time with
// the registry gone.
func TestKinServers(t *testing.T) {
	long(t)
	all := installed(t, "@modelcontextprotocol/server-everything")
	for _, k := range kin {
		h := newHome(t, all...)
		h.use(t, k.program)
		line := k.line + "@modelcontextprotocol/server-everything stdio"
		r := h.must(t, line)
		t.Log(r.Lines[0])
		h.speaks(t, r)
		h.registry.Behave(registrytest.Behaviour{Denial: http.StatusNotFound, Token: token})
		if r = h.must(t, line); r.Installed {
			t.Error("installed again")
		}
		h.speaks(t, r)
	}
}

// speaks starts a server in a launch as `run` does, and demands that initialize and tools/list are answered and that
// nothing was denied.
func (h *home) speaks(t *testing.T, r *Ready) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	p := policy.Policy{Level: policy.Standard, MinConfinement: policy.Full}
	for _, v := range r.Env {
		name, value, _ := strings.Cut(v, "=")
		p.Env = append(p.Env, policy.Variable{Name: name, Value: value})
	}
	s := r.Package
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: r.Command[0], Args: r.Command[1:], Env: h.options.Env, Dir: h.path,
		Package: &launcher.PackageID{Manager: s.Manager, Spec: "npm:" + s.Name, Name: s.Name, Version: s.Version,
			Integrity: s.Integrity, Registry: s.Registry, Path: s.Path}})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sb.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	sb.Cmd.Stderr = &words
	began := time.Now()
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	info := ask(t, in, lines, 1, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}`)
	took := time.Since(began)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	tools := ask(t, in, lines, 2, "tools/list", `{}`)
	in.Close()
	sb.Cmd.Wait()
	result, err := sb.Wait(ctx)
	if err != nil || len(result.Denied) > 0 || !strings.Contains(info, `"serverInfo"`) || !strings.Contains(tools, `"echo"`) {
		t.Errorf("%s\n%s\n%+v, %v, %s", info, tools, result, err, words.String())
	}
	t.Logf("initialize was answered after %.3f s", took.Seconds())
}

// ask sends a request and waits for the answer.
func ask(t *testing.T, in io.Writer, out *bufio.Reader, id int, method, params string) string {
	t.Helper()
	fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", id, method, params)
	for {
		line, err := out.ReadString('\n')
		if err != nil {
			return line + err.Error()
		}
		if strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) && strings.Contains(line, `"result"`) {
			return line
		}
	}
}
