package launcher_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// An installation is a runtime below a home, a program for it, and the command.
type installation struct {
	name    string
	long    bool                            // for the long forms of the suite alone: slow, or another place of a runtime that is in the list already
	put     func(t *testing.T, home string) // puts the runtime there
	file    string                          // the program's
	text    string
	command string // below the home
	args    string // in front of the program
	says    string // what the program writes; HOME is the home
}

// A real program of each runtime starts at both levels from an installation below a home, with no grant but its file.
// Each reads something of its installation, and none sees the rest of the home.
func TestInstallations(t *testing.T) {
	for _, i := range installations() {
		if testing.Short() && i.long {
			continue
		}
		t.Run(i.name, func(t *testing.T) {
			home, dir := testbed.Folder(t), testbed.Folder(t)
			if err := os.WriteFile(filepath.Join(home, "secret"), []byte("secret"), 0o644); err != nil {
				t.Fatal(err)
			}
			i.put(t, home)
			t.Setenv("HOME", home)
			program := filepath.Join(dir, i.file)
			writeFile(t, program, i.text)
			for _, level := range []policy.Level{policy.Standard, policy.Strict} {
				p := policy.Policy{Level: level, Filesystem: policy.Filesystem{AllowRead: []string{program}}}
				p.Limits.Memory = 1 << 30 // Deno and Node 24 do not start with strict's where no control group holds it
				target := launcher.Target{Path: filepath.Join(home, i.command), Args: append(strings.Fields(i.args), program, home)}
				want := strings.ReplaceAll(i.says, "HOME", home) + " and no secret\n"
				if got := said(t, p, target); got != want {
					t.Errorf("level %s: %q, want %q", level, got, want)
				}
			}
			target := append(strings.Fields(i.args), program, home)
			cmd := exec.Command(filepath.Join(home, i.command), target...)
			if out, err := cmd.Output(); err != nil || !strings.HasSuffix(string(out), " and a secret\n") {
				t.Errorf("outside: %q, %v", out, err) // the program would have seen one
			}
		})
	}
}

// said is what a confined program wrote.
func said(t *testing.T, p policy.Policy, target launcher.Target) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	sb, err := launcher.Command(ctx, p, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	var out, complaint bytes.Buffer
	sb.Cmd.Stdout, sb.Cmd.Stderr = &out, &complaint
	if err := sb.Cmd.Run(); err != nil {
		t.Errorf("%v: %s", err, &complaint)
	}
	return out.String()
}

const (
	javaScript = `const fs = require("fs"), path = require("path")
const one = fs.existsSync(path.join(process.argv[2], "secret")) ? "a" : "no"
console.log(`
	python = `import os, sys
library = sys.base_prefix if os.__file__.startswith(sys.base_prefix) else os.__file__
print(library, "in", sys.prefix, "and", "a" if os.path.exists(sys.argv[1] + "/secret") else "no", "secret")
`
	typeScript = `import * as fs from "node:fs"
const at: string = process.argv[2]
console.log(process.execPath, "and", fs.existsSync(at + "/secret") ? "a" : "no", "secret")
`
	java = `public class Hello {
	public static void main(String[] words) {
		String one = new java.io.File(words[words.length - 1], "secret").exists() ? "a" : "no";
		System.out.println(System.getProperty("java.home") + " and " + one + " secret");
	}
}
`
	goProgram = `package main

import "os"

func main() {
	one := "no"
	if _, err := os.Stat(os.Args[2] + "/secret"); err == nil {
		one = "a"
	}
	os.Stdout.WriteString(os.Args[0] + " and " + one + " secret\n")
}
`
)

func installations() []installation {
	return []installation{
		{name: "node of nodenv", put: putNode(".nodenv/versions/24.0.0"), command: ".nodenv/versions/24.0.0/bin/node", file: "hello.js",
			text: javaScript + `require(path.join(process.execPath, "../../lib/node_modules/one")), "and", one, "secret")`, says: "one of HOME/.nodenv/versions/24.0.0"},
		{name: "node unpacked", long: true, put: putNode("tools/node-v24"), command: "tools/node-v24/bin/node", file: "hello.js",
			text: javaScript + `require(path.join(process.execPath, "../../lib/node_modules/one")), "and", one, "secret")`, says: "one of HOME/tools/node-v24"},
		{name: "python of pyenv", long: true, put: putPython(".pyenv/versions/3.99.0"), command: ".pyenv/versions/3.99.0/bin/python3", file: "hello.py",
			text: python, says: "HOME/.pyenv/versions/3.99.0 in HOME/.pyenv/versions/3.99.0"},
		{name: "python unpacked", put: putPython("conda"), command: "conda/bin/python3", file: "hello.py", text: python, says: "HOME/conda in HOME/conda"},
		{name: "python of a virtual environment", put: putVenv, command: "work/.venv/bin/python", file: "hello.py", text: python,
			says: "HOME/.asdf/installs/python/3.99.0 in HOME/work/.venv"},
		{name: "deno", put: putRuntime("deno", ".deno/bin/deno"), command: ".deno/bin/deno", args: "run --allow-all", file: "hello.ts", text: typeScript,
			says: "HOME/.deno/bin/deno"},
		{name: "bun", put: putRuntime("bun", ".bun/bin/bun"), command: ".bun/bin/bun", file: "hello.ts", text: typeScript, says: "HOME/.bun/bin/bun"},
		{name: "java of SDKMAN", long: true, put: putJava(".sdkman/candidates/java/99"), command: ".sdkman/candidates/java/current/bin/java", file: "Hello.java", text: java,
			says: "HOME/.sdkman/candidates/java/99"},
		{name: "java unpacked", long: true, put: putJava("tools/jdk-99"), command: "tools/jdk-99/bin/java", file: "Hello.java", text: java, says: "HOME/tools/jdk-99"},
		{name: "a program of Go", put: putGoProgram, command: "go/bin/hello", file: "hello.go", text: goProgram, says: "HOME/go/bin/hello"},
	}
}

// The go command finds its own library by its path.
func TestGoInstallation(t *testing.T) {
	home := testbed.Folder(t)
	t.Setenv("HOME", home)
	to := filepath.Join(home, "sdk", "go99")
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		testbed.Missing(t, "go", "no go command on this machine")
	}
	from := strings.TrimSpace(string(out))
	for _, name := range []string{"VERSION", "go.env", "src/go.mod", "src/errors/errors.go", "bin/go"} {
		copyBelow(t, filepath.Join(from, name), filepath.Join(to, name))
	}
	if err := os.MkdirAll(filepath.Join(to, "pkg", "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	target := launcher.Target{Path: filepath.Join(to, "bin", "go"), Args: []string{"list", "-f", "{{.Dir}}", "errors"}, Dir: "/"}
	for _, level := range []policy.Level{policy.Standard, policy.Strict} {
		if got, want := said(t, policy.Policy{Level: level}, target), filepath.Join(to, "src", "errors")+"\n"; got != want {
			t.Errorf("level %s: %q, want %q", level, got, want)
		}
	}
}

func putNode(prefix string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		copyBelow(t, testbed.Node(t), filepath.Join(home, prefix, "bin", "node"))
		writeFile(t, filepath.Join(home, prefix, "lib", "node_modules", "one", "index.js"),
			`module.exports = "one of " + require("path").resolve(__dirname, "../../..")`)
	}
}

func putRuntime(name, at string) func(*testing.T, string) {
	return func(t *testing.T, home string) { copyBelow(t, testbed.Runtime(t, name), filepath.Join(home, at)) }
}

func putPython(prefix string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		system := testbed.Python(t)
		out, err := exec.Command(system, "-c", "import os, sys; print(sys.base_prefix); print(os.path.dirname(os.__file__))").Output()
		base, library, ok := strings.Cut(strings.TrimSpace(string(out)), "\n")
		below, inside := strings.CutPrefix(library, base)
		if err != nil || !ok || !inside {
			t.Fatalf("%s: %q, %v", system, out, err)
		}
		to := filepath.Join(home, prefix)
		copyBelow(t, system, filepath.Join(to, "bin", "python3"))
		if err := os.CopyFS(filepath.Join(to, below), os.DirFS(library)); err != nil {
			t.Fatal(err)
		}
	}
}

func putVenv(t *testing.T, home string) {
	const prefix = ".asdf/installs/python/3.99.0"
	putPython(prefix)(t, home)
	run(t, filepath.Join(home, prefix, "bin", "python3"), "-m", "venv", "--without-pip", filepath.Join(home, "work", ".venv"))
}

// putJava makes a Java of the machine's own that has the compiler and no more, and a link to it beside.
func putJava(prefix string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		jlink, err := exec.LookPath("jlink")
		if err != nil {
			testbed.Missing(t, "java", "no Java on this machine, or no compiler: it is not tried in a home")
		}
		to := filepath.Join(home, prefix)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		run(t, jlink, "--add-modules", "java.base,jdk.compiler", "--output", to)
		if err := os.Symlink(filepath.Base(to), filepath.Join(filepath.Dir(to), "current")); err != nil {
			t.Fatal(err)
		}
	}
}

func putGoProgram(t *testing.T, home string) {
	source := filepath.Join(t.TempDir(), "hello.go")
	writeFile(t, source, goProgram)
	cmd := exec.Command("go", "build", "-o", filepath.Join(home, "go", "bin", "hello"), source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

func run(t *testing.T, words ...string) {
	t.Helper()
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%q: %v\n%s", words, err, out)
	}
}

func copyBelow(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	copyFile(t, from, to)
}

func writeFile(t *testing.T, at, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
