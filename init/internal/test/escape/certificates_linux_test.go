package escape_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// What a variable of certificates names is read by every user here, has keys before, between and beside the
// certificates, and is shown without these, whatever else the server has. Outside the same script reads the keys.
func TestCertificates(t *testing.T) {
	dir := stage(t).dir
	text, err := os.ReadFile("../../confine/fsview/testdata/acme.pem")
	if err != nil {
		t.Fatal(err)
	}
	pem, key := string(text), "-----BEGIN PRIVATE KEY-----\na secret\n-----END PRIVATE KEY-----\n"
	for name, text := range map[string]string{"home/ca.pem": key + pem + "# a secret\n" + key + pem, "home/id": key, "trust/ca.crt": pem,
		"trust/key": key, "trust/more/key": key, "moved/ca.pem": strings.ReplaceAll(pem+key, "\n", "\r\n")} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for at, target := range map[string]string{"trust/9b5697b0.0": "ca.crt", "trust/up": "../home/id", "trust/moved": "../moved/ca.pem"} {
		if err := os.Symlink(target, dir+"/trust/"+filepath.Base(at)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(dir+"/home/id", dir+"/trust/hard"); err != nil {
		t.Fatal(err)
	}
	const script = `exec 2>&1; cat "$SSL_CERT_FILE"; cd "${SSL_CERT_DIR%%:*}" && for f in *; do [ -d "$f" ] || echo "$f" && cat "$f"; done
		for f in trust/key trust/hard trust/up trust/more/key home/id ORIGINAL; do cat "$DIR/$f"; done | grep -c secret
		echo x >>"$SSL_CERT_FILE" && echo written; echo x >new && echo made`
	shown := pem + pem + "9b5697b0.0\n" + pem + "ca.crt\n" + pem + "moved\n" + pem + "0\n"
	for _, c := range []struct{ name, begin, level, more string }{
		{"standard", "", "standard", ""},
		{"strict", "", "strict", `,"subprocess":{"allow":true}`},
		{"network", "", "network", ""},
		{"a state", "", "standard", `,"state":"acme"`},
		{"reduced", "reduced", "standard", ""},
		{"reduced with a state", "reduced", "standard", `,"state":"acme"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir()) // the scene may be written by all
			t.Setenv("HOME", dir+"/home")
			least, run := "full", strings.Replace(script, "ORIGINAL", "none", 1)
			if c.begin != "" {
				needLandlock(t)
				least, run = c.begin, strings.Replace(script, "ORIGINAL", "home/ca.pem", 1)
				if root() && strings.Contains(c.more, "state") {
					t.Skip("a state of root's is refused there")
				}
			}
			doc := `{"version":1,"minConfinement":"` + least + `","level":"` + c.level + `","env":{"SSL_CERT_FILE":"` + dir + `/home/ca.pem","SSL_CERT_DIR":"` +
				dir + `/trust:/none","DIR":"` + dir + `"}` + c.more + `}`
			r := host.Finish(t, host.Launch{Policy: doc, Begin: c.begin, Command: []string{"/bin/sh", "-c", run},
				Env: append(os.Environ(), "PATH=/usr/bin:/bin")}.Cmd(t))
			out, complaints := r.Stdout.String(), 0
			for line := range strings.Lines(out) {
				if strings.HasPrefix(line, "/bin/sh: ") || strings.HasPrefix(line, "cat: ") || strings.HasPrefix(line, "sh: ") {
					complaints++
					out = strings.Replace(out, line, "", 1)
				}
			}
			if out != shown || complaints == 0 {
				t.Errorf("%s%s", &r.Stdout, &r.Stderr)
			}
			if got := r.Enforced.ImpliedGrants; !slices.Equal(got, []string{dir + "/home/ca.pem", dir + "/trust"}) || r.Enforced.Confinement != least {
				t.Errorf("%s: %q", r.Enforced.Confinement, got)
			}
		})
	}
	outside := exec.Command("/bin/sh", "-c", script)
	outside.Env = append(os.Environ(), "SSL_CERT_FILE="+dir+"/home/ca.pem", "SSL_CERT_DIR="+dir+"/trust", "DIR="+dir)
	if out, _ := outside.Output(); !strings.HasSuffix(string(out), "\nwritten\nmade\n") || strings.Count(string(out), "a secret") < 5 {
		t.Errorf("outside:\n%s", out)
	}
}
