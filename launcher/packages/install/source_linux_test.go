package install

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
)

// Each start looks at what variables have an install trust, and an entry may name anything: all together is bounded, and
// the same folder counts once.
func TestAuthoritiesAreBounded(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	start, err := startline.Parse([]string{"npx", "-y", "good"})
	if err != nil {
		t.Fatal(err)
	}
	folder := func(name string, files int, size int64) string {
		at := filepath.Join(h.path, name)
		for i := range files {
			put(t, fmt.Sprintf("%s/%d", at, i), "")
			if err := os.Truncate(fmt.Sprintf("%s/%d", at, i), size); err != nil {
				t.Fatal(err)
			}
		}
		return at
	}
	few, half := folder("few", 3, 10), folder("half", 600, 10)
	var places []string
	for i := range mostAuthorities + 1 {
		places = append(places, fmt.Sprint("/none/", i))
	}
	for value, want := range map[string]string{
		few:                                      "",
		strings.Repeat(few+":", 100):             "",
		strings.Repeat("/etc/ssl/certs:", 3):     "",
		strings.Join(places[1:], ":"):            "",
		strings.Join(places, ":"):                "17 files and folders",
		half:                                     "",
		half + ":" + folder("other", 600, 10):    "more than 1024 files",
		folder("many", mostAuthorityFiles+1, 0):  "more than 1024 files",
		folder("large", 2, mostAuthorityBytes-1): "4194304 bytes",
		folder("whole", 1, mostAuthorityBytes):   "",
		folder("huge", 2, 1<<40) + ":" + few:     "",
	} {
		o := h.options
		o.Env = append(o.Env[:len(o.Env):len(o.Env)], "SSL_CERT_DIR="+value)
		_, _, err := newInstallation(h.store, start, o).wanted()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: %v, want %q", value, err, want)
		}
	}
}

// A log-in is not sent on the word of an entry.
func TestLoginsOfStrangers(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	h.options.RegistryAuth, h.options.stranger = true, true
	env := slices.Clip(h.options.Env)
	shims := filepath.Join(h.path, "shims")
	put(t, filepath.Join(shims, "node"), "#!/bin/sh\n")
	for _, v := range []string{"HTTPS_PROXY=http://127.0.0.1:9", "no_proxy=*", "NODE_EXTRA_CA_CERTS=/none", "PATH=" + shims + ":" + os.Getenv("PATH")} {
		h.options.Env = append(env, v)
		h.refused(t, "npx -y good", "--registry-auth with ")
	}
	h.options.Env = env
	h.options.stranger = false // the user's own PATH says nothing of what was typed with its path, or of another home's store
	for _, folder := range []string{"typed", ".local/state/mcp-sandbox/state/a/.nvm/versions/node/v20/bin"} {
		folder = filepath.Join(h.path, folder)
		for _, name := range []string{"npx", "npm"} {
			put(t, filepath.Join(folder, name), "#!/bin/sh\n")
		}
		h.refused(t, folder+"/npx -y good", "--registry-auth with "+folder+"/npm")
		h.options.stranger, h.options.Env = true, append(env, "PATH="+folder+":"+os.Getenv("PATH"))
		h.refused(t, "npx -y good", "--registry-auth with PATH, which the process that started mcp-sandbox does not have")
		h.options.stranger, h.options.Env = false, env
	}
	h.must(t, "npx -y good")
}

// By the log-in of an entry's word another package may come: what was installed so is found with that alone.
func TestLoginsOfEntries(t *testing.T) {
	t.Parallel()
	h := newHome(t, good()...)
	h.configure(t, "registry="+h.registry.URL+"\n//x/:_authToken=${A_TOKEN}\n")
	start, err := startline.Parse([]string{"npx", "-y", "good"})
	if err != nil {
		t.Fatal(err)
	}
	source := func(stranger, auth bool, more ...string) string {
		o := h.options
		o.stranger, o.RegistryAuth, o.Env = stranger, auth, append(slices.Clip(o.Env), more...)
		w, _, err := newInstallation(h.store, start, o).wanted()
		if err != nil {
			t.Fatal(err)
		}
		return w.Source
	}
	one, two, none := source(true, true, "A_TOKEN=1"), source(true, true, "A_TOKEN=2"), source(true, true)
	if one == two || one == none {
		t.Errorf("an entry's log-in is not in the source: %s, %s, %s", one, two, none)
	}
	if source(true, false, "A_TOKEN=1") != none || source(true, true, "OTHER=1") != none {
		t.Error("what logs in nowhere makes another source")
	}
	if source(false, true, "A_TOKEN=1") != source(false, false) {
		t.Error("the user's own log-in makes another source")
	}
}
