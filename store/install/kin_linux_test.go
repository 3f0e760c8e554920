package install

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/store/install/registrytest"
)

// eachKin runs a test for each manager, in a home with packages.
func eachKin(t *testing.T, test func(t *testing.T, h *home, line, program string), packages ...pack) {
	t.Helper()
	for _, k := range eachKind() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, packages...)
			h.use(t, k.program)
			test(t, h, k.line, k.program)
		})
	}
}

// holding are the files below a folder that have a text, or that name.
func holding(t *testing.T, folder, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if filepath.Base(path) == text {
			files = append(files, path)
		}
		if d.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if bytes.Contains(b, []byte(text)) {
				files = append(files, path)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// Install scripts do not run, which is told; with --scripts they run, but for deno, which never runs any.
func TestKinScripts(t *testing.T) {
	scripts := keys{}
	for _, name := range []string{"preinstall", "install", "postinstall"} {
		scripts[name] = "echo " + name + " >> it-ran"
	}
	eachKin(t, func(t *testing.T, h *home, line, program string) {
		r := h.must(t, line+"main")
		if found := holding(t, r.Package.Path, "it-ran"); len(found) > 3 { // the text is in package.json, and in what deno keeps
			t.Errorf("a script ran: %q", found)
		}
		if files := holding(t, r.Package.Path, "postinstall\n"); len(files) > 0 {
			t.Errorf("a script ran: %q", files)
		}
		if last := r.Lines[len(r.Lines)-1]; !strings.Contains(last, "scripts of dep, main were not run (--scripts)") {
			t.Errorf("%q", r.Lines)
		}
		h.options.Scripts = true
		if program == "deno" {
			h.refused(t, line+"main", "deno run has no install scripts run", "dep, main")
			return
		}
		r = h.must(t, line+"main")
		ran := 0
		for _, file := range holding(t, r.Package.Path, "it-ran") {
			if b, err := os.ReadFile(file); filepath.Base(file) == "it-ran" && err == nil && string(b) == "preinstall\ninstall\npostinstall\n" {
				ran++
			}
		}
		if ran != 2 {
			t.Errorf("scripts of %d packages ran", ran)
		}
	}, runnable(pack{Name: "main", Manifest: keys{"scripts": scripts, "dependencies": map[string]string{"dep": "1"}}}),
		pack{Name: "dep", Version: "1.0.0", Manifest: keys{"scripts": scripts}})
}

// What is younger than wanted is passed over, dependencies as well, and where nothing older will do that is told.
func TestKinMinAge(t *testing.T) {
	young := time.Now().Add(-2 * 24 * time.Hour)
	eachKin(t, func(t *testing.T, h *home, line, program string) {
		h.options.MinAge = 7 * 24 * time.Hour
		h.refused(t, line+"y", "dep")
		h.refused(t, line+"z@1.1.0", "z")
		h.refused(t, line+"ageless", "ageless")
		if r := h.must(t, line+"z"); r.Package.Version != "1.0.0" {
			t.Error(r.Package.Version)
		}
		if r := h.must(t, line+"x"); len(holding(t, r.Package.Path, `"version":"1.1.0"`)) > 0 && program != "deno" {
			t.Error("a young dependency is there")
		}
		h.options.MinAge = 0
		for _, name := range []string{"y", "z@1.1.0", "ageless"} {
			h.must(t, line+name)
		}
	}, runnable(pack{Name: "x", Manifest: needs("dep", "^1.0.0")}), runnable(pack{Name: "y", Manifest: needs("dep", "1.1.0")}),
		pack{Name: "dep", Version: "1.0.0"}, pack{Name: "dep", Version: "1.1.0", Published: young},
		runnable(pack{Name: "ageless", Ageless: true}),
		runnable(pack{Name: "z", Version: "1.0.0"}), runnable(pack{Name: "z", Version: "1.1.0", Published: young}))
}

// A bin that is not in the package is none of its programs, and a bin's name leads nowhere.
func TestKinBinsThatLeadOut(t *testing.T) {
	eachKin(t, func(t *testing.T, h *home, line, _ string) {
		h.refused(t, line+"out", "program out of out")
		h.refused(t, line+"absolute", "program absolute of absolute")
		h.refused(t, line+"neighbour", "program neighbour of neighbour")
		h.refused(t, line+"nothing", "nothing has no program")
		if r := h.must(t, line+"named"); exists(r.Package.Path, "named") || exists(filepath.Dir(r.Package.Path), "named") {
			t.Error("a bin's name led out of .bin")
		}
		h.must(t, line+"good")
	}, append(good(),
		runnable(pack{Name: "out", Manifest: keys{"bin": "../../../../../../../bin/sh"}}),
		runnable(pack{Name: "absolute", Manifest: keys{"bin": map[string]string{"absolute": "/bin/sh"}}}),
		runnable(pack{Name: "neighbour", Manifest: keys{"bin": "../good/cli.js", "dependencies": map[string]string{"good": "1"}}}),
		runnable(pack{Name: "named", Manifest: keys{"bin": map[string]string{"../../../named": "cli.js", "named": "cli.js"}}}),
		runnable(pack{Name: "nothing", Manifest: keys{"bin": map[string]string{}}}))...)
}

// What leads out of an archive is not written there.
func TestKinEntriesThatLeadOut(t *testing.T) {
	outside := filepath.Join(os.TempDir(), "mcp-sandbox-evil-"+t.Name())
	eachKin(t, func(t *testing.T, h *home, line, _ string) {
		r, err := h.prepare(t, line+"evil")
		t.Log(err)
		for _, bad := range []string{outside, h.path + "/evil-entry", h.store.Path + "/evil-entry"} {
			if _, err := os.Lstat(bad); err == nil {
				t.Errorf("%s is there", bad)
			}
		}
		if err == nil {
			if found := holding(t, r.Package.Path, "evil-entry"); len(found) > 0 {
				t.Logf("%q", found)
			}
		}
		h.must(t, line+"good")
	}, append(good(), runnable(pack{Name: "evil", Files: []file{
		{Name: "../../../evil-entry", Text: "x", Raw: true}, {Name: "package/../../../evil-entry", Text: "x", Raw: true},
		{Name: "package/../../../../../../../evil-entry", Text: "x", Raw: true},
		{Name: outside, Text: "x", Raw: true}, {Name: "link", Link: "../../../../.."}, {Name: "link/evil-entry", Text: "x"},
		{Name: "hard", Link: "/etc/passwd", Hard: true},
	}}))...)
}

// A registry that wants a log-in gets the user's with --registry-auth alone, and the package has none of it.
func TestKinLogin(t *testing.T) {
	eachKin(t, func(t *testing.T, h *home, line, _ string) {
		const token = "s3cret-t0ken"
		h.registry.Behave(registrytest.Behaviour{Token: token})
		_, where, _ := strings.Cut(h.registry.URL, ":")
		h.configure(t, "registry="+h.registry.URL+"\n"+where+":_authToken="+token+"\n")
		h.refused(t, line+"good", "--registry-auth")
		for _, r := range h.registry.Asked() {
			if r.Authorization != "" {
				t.Errorf("%s got %s", r.Path, r.Authorization)
			}
		}
		h.options.RegistryAuth = true
		r := h.must(t, line+"good")
		if found := holding(t, r.Package.Path, token); len(found) > 0 {
			t.Errorf("the token is in %q", found)
		}
	}, good()...)
}
