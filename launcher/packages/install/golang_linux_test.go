package install

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

type goModuleOf = registrytest.Module

// goText is a program that says what it got; see [home.writesNowhere]. It links little, for an install compiles all that it links.
const goText = `package main

import (
	"os"

	"example.com/dep"
)

func main() {
	for i, a := range os.Args[1:] {
		switch {
		case os.Args[1] != "write":
			println(dep.Say(a))
		case i == 0:
		case os.WriteFile(a, nil, 0o600) == nil:
			println("wrote", a)
		default:
			println("refused", a)
		}
	}
}
`

// goSaid is a program that links even less.
const goSaid = "package main\n\nimport \"example.com/dep\"\n\nfunc main() { println(dep.Say(\"a\")) }\n"

// goTool is a module with a program, and goDep what that needs.
func goTool(text string) goModuleOf {
	return goModuleOf{Path: "example.com/tool", Version: "v1.0.0", Mod: "\nrequire example.com/dep v1.2.0\n", Files: texts{"main.go": text}}
}

var goDep = goModuleOf{Path: "example.com/dep", Version: "v1.2.0", Files: texts{"dep.go": "package dep\n\nfunc Say(s string) string { return \"said \" + s }\n"}}

// newGoHome is newHome with a proxy in the configuration of the go command.
func newGoHome(t *testing.T, modules ...goModuleOf) (*home, *registrytest.Proxy) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		testbed.Missing(t, "go", err.Error())
	}
	h := newHome(t)
	p := registrytest.NewProxy(t, modules...)
	h.golang(t, "GOPROXY="+p.URL+",direct", "GOSUMDB="+p.Database)
	return h, p
}

// golang writes the user's configuration of the go command.
func (h *home) golang(t *testing.T, lines ...string) {
	t.Helper()
	put(t, filepath.Join(h.path, ".config", "go", "env"), strings.Join(lines, "\n")+"\n")
}

// A program is built once, and found without the proxy from then on. The newest version that its author has not taken
// back is the latest.
func TestGo(t *testing.T) {
	t.Parallel()
	back := goTool(goText)
	back.Version, back.Mod = "v1.1.0", back.Mod+"\nretract v1.1.0\n"
	h, p := newGoHome(t, goTool(goText), goDep, back)
	r := h.must(t, "go run example.com/tool@latest a --b")
	t.Log(r.Lines, r.Command)
	k := r.Package
	if !r.Installed || k.Name != "example.com/tool" || k.Version != "v1.0.0" || !strings.HasPrefix(k.Integrity, "h1:") ||
		k.Registry != p.URL || k.Packages != 2 || r.PathDir != "" {
		t.Errorf("%+v, %+v", r, k)
	}
	lock, err := os.ReadFile(k.Path + "/" + k.Lock)
	if err != nil || !strings.HasPrefix(string(lock), "example.com/dep v1.2.0 h1:") || strings.Count(string(lock), "\n") != 2 {
		t.Errorf("%s, %v", lock, err)
	}
	asked := len(p.Asked())
	again := h.must(t, "go run example.com/tool@v1.0.0 a --b")
	if again.Installed || len(p.Asked()) != asked || strings.Join(again.Command, " ") != strings.Join(r.Command, " ") {
		t.Errorf("%+v", again)
	}
	out, err := exec.Command(r.Command[0], r.Command[1:]...).CombinedOutput()
	if string(out) != "said a\nsaid --b\n" {
		t.Errorf("%s, %v", out, err)
	}
	if b, err := os.ReadFile(r.Command[0]); err != nil || bytes.Contains(b, []byte(h.path)) {
		t.Errorf("the program names the folder in which it was built, or %v", err)
	}
	found := false
	h.writesNowhere(t, "go run example.com/tool@v1.0.0")
	for _, q := range p.Asked() {
		found = found || strings.HasPrefix(q.Path, "/sumdb/sums.example/lookup/example.com/tool@")
	}
	if !found {
		t.Errorf("the database of checksums was not asked: %v", p.Asked())
	}
}

// evilModules must not be installed, with words of the refusal. Those of fine are asked for as a dependency, too.
var evilModules = []struct {
	name  string
	evil  goModuleOf
	words []string
}{
	{"changed on its way", goModuleOf{Served: texts{"main.go": "package main\n\nfunc main() { println(\"lied\") }\n"}}, []string{"the archive of example.com/evil", "has not the checksum"}},
	{"out of the module", goModuleOf{Raw: texts{"example.com/EVIL@v1.0.0/../../out": "x"}}, []string{"invalid path element"}},
	{"for cgo", goModuleOf{Files: texts{"main.go": "package main\n\n// int x(void) { return 1; }\nimport \"C\"\n\nfunc main() { println(C.x()) }\n"}}, []string{"--scripts"}},
	{"closed", goModuleOf{Status: 403}, []string{"(403) is not given to somebody without a log-in", "netrc", "--registry-auth"}},
	{"cut off", goModuleOf{Change: cut}, []string{"not a valid zip file"}},
	{"elsewhere", goModuleOf{Raw: texts{"../../out": "x"}}, []string{"unexpected file"}},
	{"no program", goModuleOf{Files: texts{"main.go": "package lib\n"}}, []string{"is not a main package"}},
	{"does not compile", goModuleOf{Files: texts{"main.go": "package main\n\nfunc main() { x }\n"}}, []string{"undefined: x"}},
	{"for another Go", goModuleOf{Mod: "toolchain go1.99.0\n", Files: texts{"main.go": "package main\n\nfunc main() {}\n"}}, nil},
	{"dependency that leads out", goModuleOf{Files: texts{"main.go": "package main\n\nimport _ \"../x\"\n\nfunc main() {}\n"}}, []string{"../x"}},
	{"replaces", goModuleOf{Mod: "\nreplace example.com/dep => ../dep\n", Files: texts{"main.go": "package main\n\nfunc main() {}\n"}}, []string{"contains one or more replace directives"}},
	{"dependency that nobody has", goModuleOf{Mod: "\nrequire example.com/nobody v1.0.0\n", Files: texts{"main.go": "package main\n\nimport _ \"example.com/nobody\"\n\nfunc main() {}\n"}}, []string{"example.com/nobody/@v/v1.0.0.zip: 404", "the proxies of GOPROXY alone"}},
	{"gone", goModuleOf{Status: 410}, []string{"example.com/evilm/@v/v1.0.0.info: 410 Gone"}},
}

func TestEvilModules(t *testing.T) {
	t.Parallel()
	h, p := newGoHome(t, goDep)
	t.Run("all", func(t *testing.T) {
		for i, e := range first(2, evilModules...) {
			name := "evil" + string(rune('a'+i))
			e.evil.Path, e.evil.Version = "example.com/"+name, "v1.0.0"
			if e.evil.Files == nil {
				e.evil.Files = texts{"main.go": "package main\n\nfunc main() { println(\"said\") }\n"}
			}
			raw := texts{}
			for at, text := range e.evil.Raw {
				raw[strings.ReplaceAll(at, "EVIL", name)] = text
			}
			e.evil.Raw = raw
			p.Add(e.evil)
			t.Run(e.name, func(t *testing.T) {
				if e.words == nil { // not refused: another Go is neither fetched nor run
					h.must(t, "go run "+e.evil.Path+"@latest")
					return
				}
				t.Parallel()
				h.refused(t, "go run "+e.evil.Path+"@v1.0.0", e.words...)
			})
		}
	})
}

// What is refused before anything is asked of a proxy.
func TestGoConfiguration(t *testing.T) {
	long(t)
	t.Parallel()
	h, p := newGoHome(t, goTool(goSaid), goDep)
	const line = "go run example.com/tool@v1.0.0"
	own := []string{"GOPROXY=" + p.URL, "GOSUMDB=" + p.Database}
	for _, c := range []struct {
		lines, words []string
	}{
		{[]string{"GOPROXY=direct"}, []string{"names no proxy", "version control"}},
		{[]string{"GOPROXY=off"}, []string{"names no proxy"}},
		{[]string{"GOPROXY=file:///tmp"}, []string{"is no http"}},
		{[]string{"GOPROXY=https://u:s3cret@["}, []string{"is no http"}},
		{append(own, "GOPRIVATE=example.com/t*"), []string{"matches GOPRIVATE", "version control"}},
		{append(own, "GONOPROXY=example.com/dep"), []string{"example.com/dep", "version control"}},
	} {
		h.golang(t, c.lines...)
		h.refused(t, line, c.words...)
	}
	h.golang(t, own...)
	young := *h
	young.options.MinAge = time.Hour
	young.refused(t, line, "--min-age cannot be held for Go")
	h.nothingLeft(t)
	for _, q := range p.Asked() {
		if strings.HasSuffix(q.Path, ".zip") && strings.Contains(q.Path, "dep") {
			t.Errorf("%s was asked for", q.Path)
		}
	}
	if !testing.Short() { // else TestGo's is the install of a good module
		h.must(t, line)
	}
}
