package install

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// searches is an install script that looks for log-ins in all that it can read, and dials the registry.
const searches = `node -e '
const fs = require("fs"), path = require("path"), url = new URL(process.env.npm_config_registry ?? "http://127.0.0.1:9")
let found = []
const read = at => { for (const e of fs.readdirSync(at, {withFileTypes: true})) {
	const file = path.join(at, e.name)
	if (e.isDirectory()) read(file)
	else if (e.isFile() && fs.readFileSync(file).includes("s3cret-" + "t0ken")) found.push(file) } }
read(process.env.INIT_CWD ?? "../..")
fs.writeFileSync("found", JSON.stringify(found))
require("net").connect(url.port, "127.0.0.1").on("connect", function () { fs.writeFileSync("reached", ""); this.end() }).on("error", () => {})'`

// certificate is a good certificate with its key, as files have them.
func certificate(t *testing.T) map[string]string {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	s.Close()
	key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	text := func(kind string, b []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}))
	}
	return map[string]string{"cert": text("CERTIFICATE", s.TLS.Certificates[0].Certificate[0]),
		"key": text("PRIVATE KEY", key)}
}

// An install script finds no log-in that the install had, and reaches no registry.
func TestScriptsAndLogins(t *testing.T) {
	long(t)
	packages := []pack{runnable(pack{Name: "x", Manifest: keys{"scripts": map[string]string{"postinstall": searches}}})}
	t.Parallel()
	h := newHome(t, packages...)
	const token = "s3cret-t0ken"
	h.registry.Behave(registrytest.Behaviour{Token: token})
	_, where, _ := strings.Cut(h.registry.URL, ":")
	files := ""
	for name, text := range certificate(t) {
		at := filepath.Join(h.path, name+".pem")
		if err := os.WriteFile(at, []byte(token+"\n"+text), 0o600); err != nil {
			t.Fatal(err)
		}
		files += where + ":" + name + "file=" + at + "\n"
	}
	h.configure(t, "registry="+h.registry.URL+"\n"+where+":_authToken="+token+"\n"+files)
	h.options.RegistryAuth, h.options.Scripts, h.options.MinAge = true, true, 24*time.Hour
	own := h.must(t, "npx -y x").Package.Path + "/node_modules/x/"
	if b, err := os.ReadFile(own + "found"); err != nil || string(b) != "[]" {
		t.Errorf("log-ins were in %s, %v", b, err)
	}
	if isThere(own, "reached") {
		t.Error("the script reached the registry")
	}
}
