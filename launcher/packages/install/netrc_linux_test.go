package install

import (
	"crypto/tls"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher/packages/install/internal/job"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/startline"
	"github.com/security-mcp/mcp-sandbox/launcher/packages/store"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/registrytest"
)

// The go command logs in by the netrc, of which nothing stays, and which a launch with scripts has not.
func TestNetrcOfGo(t *testing.T) {
	long(t)
	t.Parallel()
	h, p := newGoHome(t, goTool(goSaid), goDep)
	at, file := closedProxy(t, p)
	h.golang(t, "GOPROXY="+at, "GOSUMDB=off")
	start, err := startline.Parse([]string{"go", "run", "example.com/tool@v1.0.0"})
	if err != nil {
		t.Fatal(err)
	}
	machine := strings.TrimSuffix(strings.TrimPrefix(at, "https://"), "/") // with the port, as go has it
	for _, scripts := range []bool{true, false} {
		h.options.Scripts, h.options.Env = scripts, append(h.options.Env, "SSL_CERT_FILE="+file)
		i := newInstallation(h.store, start, h.options)
		stage, err := h.store.Begin(t.Context(), store.Wanted{Manager: "go", Specs: start.Specs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, q, err := i.wanted()
		if err != nil {
			t.Fatal(err)
		}
		s, err := i.from.settings(t.Context(), q, stage.Folder)
		if err != nil {
			t.Fatal(err)
		}
		s.Login, s.Logins = true, []job.Login{{Key: job.Netrc, File: []byte("machine " + machine + " login u password s3cret\n")}}
		j := &job.Job{Program: q.Program, Start: start, Stage: stage.Folder, Private: filepath.Join(stage.Folder, private), Scripts: scripts,
			Owner: -1, Cell: i.cell(q), Settings: s}
		_, err = i.fill(t.Context(), stage, j)
		if (err == nil) == scripts || scripts && !strings.Contains(err.Error(), "(401) is not given to somebody without a log-in, and with --scripts") {
			t.Errorf("scripts %v: %v", scripts, err)
		}
		if err == nil {
			noSecret(t, stage.Folder, "s3cret")
		}
		stage.Abort()
	}
}

// closedProxy is a proxy of modules with TLS, which wants a log-in, and the file of its authority.
func closedProxy(t *testing.T, p *registrytest.Proxy) (at, file string) {
	t.Helper()
	own, file := authority(t)
	behind, err := url.Parse(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	pass := httputil.NewSingleHostReverseProxy(behind)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "u" || password != "s3cret" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	s.TLS = &tls.Config{Certificates: []tls.Certificate{own}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL + "/", file
}

// noSecret demands that no file of a package has a text.
func noSecret(t *testing.T, folder, secret string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(at string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if b, _ := os.ReadFile(at); strings.Contains(string(b), secret) {
				t.Errorf("%s has the log-in", at)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
