package readme

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// compile writes the example of a language in a document into a folder and has it compiled there.
func compile(t *testing.T, text, language, compiler string, args ...string) (program string) {
	t.Helper()
	dir, err := os.MkdirTemp(testbed.Scratch(t), "host-")
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "host."+language)
	if err := os.WriteFile(source, []byte(Blocks(text, language)[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := testbed.Root()
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(dir, "host")
	cmd := exec.Command(compiler, append(args, "-o", program, source)...)
	cmd.Dir = root // the module of the Go program's imports
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// host runs a compiled example with words of a server.
func host(t *testing.T, home, program string, words ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	cmd := exec.CommandContext(ctx, program, words...)
	cmd.Dir = home
	cmd.Env = environment(home, filepath.Dir(testbed.Command(t, "mcp-sandbox-init")))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// The Go program compiles as it stands and lists a server's tools. Where the server cannot start it says why, at once.
func TestGoHost(t *testing.T) {
	home := installed(t)
	program := compile(t, embedding(t), "go", "go", "build", "-trimpath")
	server := testbed.Program(t, "server-go")
	out, err := host(t, home, program, server)
	for _, want := range []string{"read_file\n", "\nconfinement ", "\nended: exit\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%v: %q is not in\n%s", err, want, out)
		}
	}
	for _, c := range []struct{ words, want string }{
		{"/usr/bin/true", "EOF"},
		{"/no/such/server", "/no/such/server"},
	} {
		if out, err := host(t, home, program, c.words); err == nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v, %s", c.words, err, out)
		}
	}
	if err := os.Remove(filepath.Join(home, "project")); err != nil {
		t.Fatal(err)
	}
	if out, err := host(t, home, program, server); err == nil || !strings.Contains(out, "project: no such file or directory") {
		t.Errorf("without the granted folder: %v, %s", err, out)
	}
}

// The Go program of docs/packages.md is the example of package install. It installs a package once, which is then started
// with the package's profile, and starts any other command as it is.
func TestPackagesHost(t *testing.T) {
	doc := document(t, "docs/packages.md")
	example := strings.NewReplacer("package install_test", "package main", "func Example()", "func main()").
		Replace(document(t, "launcher/packages/install/example_test.go"))
	if blocks := Blocks(doc, "go"); len(blocks) != 1 || blocks[0] != example {
		t.Fatal("the program of docs/packages.md is not that of launcher/packages/install/example_test.go")
	}
	home := installed(t)
	program := compile(t, doc, "go", "go", "build", "-trimpath")
	const server = "@modelcontextprotocol/server-filesystem"
	for _, told := range []int{1, 0} {
		out, err := host(t, home, program, "npx", "-y", server, filepath.Join(home, "project"))
		if err != nil || strings.Count(out, "installed npm:"+server+" 1.0.0 (1 package)") != told || !strings.Contains(out, answer+"\n") ||
			!strings.Contains(out, server+` 1.0.0, confinement full, profile "npm:`+server+`"`) {
			t.Errorf("%v: %s", err, out)
		}
		if err := os.Remove(filepath.Join(home, "project", "written")); err != nil {
			t.Error(err)
		}
	}
	if out, err := host(t, home, program, "echo", "as it is"); err != nil || !strings.Contains(out, "as it is\n") {
		t.Errorf("%v: %s", err, out)
	}
	if out, err := host(t, home, program, "npx", "-y", "none-such"); err == nil || !strings.Contains(out, "install npm:none-such: ") {
		t.Errorf("%v: %s", err, out)
	}
}

// The C program gives its policy on a descriptor, and prints the server's answer.
func TestCHost(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		testbed.Missing(t, "gcc", "no gcc")
	}
	home := installed(t)
	answers(t, home, compile(t, embedding(t), "c", "gcc", "-Wall", "-Werror", "-Wno-unused-result"))
}

// The Python program does the same.
func TestPythonHost(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		testbed.Missing(t, "python3", "no python3")
	}
	home := installed(t)
	script := filepath.Join(home, "host.py")
	if err := os.WriteFile(script, []byte(Blocks(embedding(t), "python")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	answers(t, home, python, script)
}

// answers demands of a host, whose words are followed by a server's, that it prints the server's first answer, and that
// the server may write to ~/project alone.
func answers(t *testing.T, home, program string, words ...string) {
	t.Helper()
	server := filepath.Join(home, "node_modules", ".bin", "mcp-server-filesystem")
	if err := os.MkdirAll(filepath.Dir(server), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(server, []byte(filesServer), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := host(t, home, program, append(words, server, filepath.Join(home, "project"))...)
	if err != nil || len(said(out)) != 1 || said(out)[0] != answer {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(home, "project", "written")); err != nil {
		t.Error(err)
	}
	if out, err := host(t, home, program, append(words, server, filepath.Join(home, "notes"))...); err == nil {
		t.Errorf("a folder that is not granted was written to: %s", out)
	}
}

// The TypeScript program, which has no types that Node would have to take out, lists the tools of a server of npm.
func TestTypeScriptHost(t *testing.T) {
	modules := testbed.Modules(t)
	home := installed(t)
	script := filepath.Join(home, "host.mjs")
	if err := os.WriteFile(script, []byte(Blocks(embedding(t), "ts")[0]), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(home, "node_modules")); err != nil {
		t.Fatal(err)
	}
	out, err := host(t, home, "node", script, testbed.Program(t, "server-go"))
	if err != nil || !strings.Contains("\n"+out, "\nread_file\n") {
		t.Errorf("%v: %s", err, out)
	}
}
