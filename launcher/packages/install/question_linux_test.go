package install

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
)

// A manager is a line of each row, and how that is written for a home.
var lines = map[string]struct {
	line, program string
	home          func(*testing.T) *home
}{
	"npm": {"npx -y good", "npm", func(t *testing.T) *home { return newHome(t, good()...) }},
	"pypi": {"pipx run good-tool", "python3", func(t *testing.T) *home {
		h, _ := newPythonHome(t, goodWheels()...)
		return h
	}},
	"go": {"go run example.com/tool@v1.0.0", "go", func(t *testing.T) *home {
		h, _ := newGoHome(t, goTool(goSaid), goDep)
		return h
	}},
}

// installs installs the package of a manager's line. Without the long forms of the suite only npm does: what stands in the
// place of another manager runs no longer once it has answered.
func (h *home) installs(t *testing.T, manager string) {
	t.Helper()
	line := lines[manager].line
	if manager != "npm" && testing.Short() {
		h.asks(t, line)
		return
	}
	if r := h.must(t, line); !r.Installed {
		t.Errorf("%s: the package was there", line)
	}
}

// Whatever runs in place of a manager, when that is asked for its registries, is confined, writes nothing that stays,
// and has none of the variables of the launch.
func TestQuestionIsConfined(t *testing.T) {
	for name, m := range lines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := m.home(t)
			search := order.Lookup(h.options.Env, "PATH")
			real := ""
			for _, folder := range filepath.SplitList(search) {
				if found, err := exec.LookPath(filepath.Join(folder, m.program)); real == "" && err == nil {
					real = found
				}
			}
			shims, mark := filepath.Join(h.path, "shims"), filepath.Join(h.path, "mark")
			put(t, filepath.Join(shims, m.program), "#!/bin/sh\ntouch "+mark+" "+h.path+"/.npmrc.new 2>/dev/null\n"+
				"grep -q '^Seccomp:.*2' /proc/self/status || echo free >>"+mark+"\n"+
				"test -z \"$EVIL$LD_PRELOAD$OPENSSL_CONF$NODE_OPTIONS\" || exit 77\n"+
				"test -z \"$npm_config_userconfig\" || ! grep -q _authToken \"$npm_config_userconfig\" || exit 78\nexec "+real+" \"$@\"\n")
			exec.Command(filepath.Join(shims, m.program), "version").Run() // whatever comes of it
			if b, err := os.ReadFile(mark); err != nil || string(b) != "free\n" {
				t.Fatalf("outside of a sandbox: %q, %v", b, err)
			}
			os.Remove(mark)
			os.Remove(h.path + "/.npmrc.new")
			h.inFront(shims)
			h.configure(t, "registry="+h.registry.URL+"\n//elsewhere.example/:_authToken=x\n")
			h.options.Env = append(h.options.Env, "EVIL=1", "NODE_OPTIONS=--require="+mark, "OPENSSL_CONF="+mark,
				"PYTHONPATH="+h.path, "GOFLAGS=-toolexec="+mark)
			h.installs(t, name)
			for _, at := range []string{mark, h.path + "/.npmrc.new"} {
				if b, err := os.ReadFile(at); err == nil {
					t.Errorf("%s is there: %q", at, b)
				}
			}
		})
	}
}

// What answers in npm's place chooses no host: a registry of its answer that stands in no file of the user's is refused.
func TestAnswersAreChecked(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	shims := filepath.Join(h.path, "shims")
	h.inFront(shims)
	for registry, refused := range map[string]bool{"http://127.0.0.1:9/": true, "http://elsewhere.example/": true, h.registry.URL: false} {
		put(t, filepath.Join(shims, "npm"), "#!/bin/sh\ntest \"$1\" = config || exit 3\n"+
			`echo '{"registry": "`+registry+`", "cafile": "", "userconfig": "/etc/passwd"}'`+"\n")
		_, err := h.prepare(t, "npx -y good")
		if err == nil || strings.Contains(err.Error(), "stands in none of its configuration files") != refused {
			t.Errorf("%s: %v", registry, err)
		}
	}
	h.nothingLeft(t)
}

// Where the project's configuration comes while another install of the name goes on, nothing is installed by it.
func TestConfigurationChangesMeanwhile(t *testing.T) {
	long(t)
	t.Parallel()
	h := newHome(t, good()...)
	start, err := startline.Parse([]string{"npx", "-y", "good"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := h.store.Begin(t.Context(), store.Wanted{Manager: "npm", Specs: start.Specs}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h.options.Told = func(string) { // it waits for the lock
		h.configure(t, "registry=http://127.0.0.1:9/\n")
		other.Abort()
	}
	h.refused(t, "npx -y good", "the configuration changed meanwhile")
	h.nothingLeft(t)
}

// A variable that names other sources than the user's configuration is refused, and nothing is left of it. One that
// names the same is none.
func TestVariablesDecideNothing(t *testing.T) {
	const other = "http://127.0.0.1:9/"
	for name, variables := range map[string][]string{
		"npm": {"npm_config_registry=" + other, "NPM_CONFIG_REGISTRY=" + other, "npm_config_userconfig=/none", "NPM_config_globalconfig=/none",
			"npm_config_@x:registry=" + other, "BUN_CONFIG_REGISTRY=" + other, "pnpm_config_registry=" + other},
		"pypi": {"PIP_INDEX_URL=" + other, "PIP_EXTRA_INDEX_URL=" + other, "PIP_CONFIG_FILE=/none", "PIP_NO_INDEX=1"},
		"go":   {"GOPROXY=" + other, "GOENV=/none", "GOSUMDB=off", "GONOSUMDB=*", "GOPRIVATE=*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := lines[name]
			h := m.home(t)
			env := slices.Clip(h.options.Env)
			for _, v := range first(1, variables...) {
				h.options.Env = append(env, v)
				word, _, _ := strings.Cut(v, "=")
				h.refused(t, m.line, word+" is set", "no variable decides where packages come from")
			}
			h.nothingLeft(t)
			h.options.Env = append(env, "npm_config_registry="+strings.TrimSuffix(h.registry.URL, "/"),
				"npm_config_userconfig="+h.path+"/.npmrc", "GOENV="+h.path+"/.config/go/env")
			if testing.Short() {
				h.asks(t, m.line)
			} else {
				h.installs(t, name)
			}
		})
	}
}

// What was installed with another manager, authority or way is not found by a start without.
func TestInstallsAreApart(t *testing.T) {
	for name, m := range lines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := m.home(t)
			start, err := startline.Parse(strings.Fields(m.line))
			if err != nil {
				t.Fatal(err)
			}
			source := func(more ...string) string {
				t.Helper()
				o := h.options
				o.Env = append(slices.Clip(o.Env), more...)
				w, _, err := newInstallation(h.store, start, o).wanted()
				if err != nil {
					t.Fatal(err)
				}
				return w.Source
			}
			authority := filepath.Join(h.path, "ca.pem")
			put(t, authority, "one")
			plain := source()
			for _, v := range []string{"HOME=/elsewhere", "LANG=C", "XDG_CONFIG_HOME=" + h.path, "SECRET=x", "npm_config_cache=/x"} {
				if source(v) != plain {
					t.Errorf("%s makes another source", v)
				}
			}
			seen := map[string]string{plain: "none"}
			try := func(what string, more ...string) {
				t.Helper()
				s := source(more...)
				if seen[s] != "" {
					t.Errorf("%s has the source of %s", what, seen[s])
				}
				seen[s] = what
			}
			for _, v := range []string{"HTTPS_PROXY=http://127.0.0.1:9", "https_proxy=http://127.0.0.1:9", "ALL_PROXY=socks5://127.0.0.1:9",
				"no_proxy=*", "NODE_EXTRA_CA_CERTS=" + authority, "SSL_CERT_FILE=/none", "SSL_CERT_DIR=" + filepath.Dir(authority),
				"NODE_EXTRA_CA_CERTS=https_proxy=http://127.0.0.1:9"} {
				try(v, v)
			}
			put(t, authority, "two")
			try("the changed authority", "NODE_EXTRA_CA_CERTS="+authority)
			shims := filepath.Join(h.path, "shims")
			put(t, filepath.Join(shims, "interpreter"), "#!/bin/sh\n")
			linked := filepath.Join(h.path, "linked") // a Python loads what lies beside its name, and not behind the links
			real, err := exec.LookPath(m.program)
			if err != nil || os.MkdirAll(linked, 0o755) != nil || os.Symlink(real, filepath.Join(linked, m.program)) != nil {
				t.Fatal(real, err)
			}
			typed := *start
			typed.Program, start = filepath.Join(linked, typed.Tool), &typed
			try("a program beside the one that was typed")
			start.Program = ""
			h.options.stranger = true
			try("a stranger's PATH", "PATH="+shims+":"+os.Getenv("PATH"))
			h.options.stranger = false
			put(t, filepath.Join(shims, m.program), "#!/bin/sh\n")
			try("another program", "PATH="+shims+":"+os.Getenv("PATH"))
			h.configure(t, "registry="+h.registry.URL+"\n//x/:_authToken=1\n# comment\n")
			if source() != plain {
				t.Error("a log-in makes another source")
			}
			if name == "npm" {
				h.configure(t, "registry="+h.registry.URL+"other/\n")
				try("another registry")
			}
		})
	}
	h := newHome(t, good()...)
	env := slices.Clip(h.options.Env)
	h.options.Env = append(env, "no_proxy=*")
	first := h.must(t, "npx -y good")
	start, _ := startline.Parse([]string{"npx", "-y", "good"})
	h.options.Env = env
	if r, err := Find(h.store, start, h.options); !errors.Is(err, store.ErrNone) {
		t.Errorf("%+v, %v", r, err)
	}
	second := h.must(t, "npx -y good")
	if !second.Installed || second.Package.Path == first.Package.Path {
		t.Errorf("%s, %s", first.Package.Path, second.Package.Path)
	}
	if r, err := Find(h.store, start, h.options); err != nil || r.Package.Path != second.Package.Path {
		t.Errorf("%+v, %v", r, err)
	}
	if !strings.Contains(second.Lines[0], " from "+h.registry.URL) {
		t.Errorf("the registry is not named: %q", second.Lines)
	}
}
