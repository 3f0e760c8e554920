package egress_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Without a list a name fails at once with glibc, and with musl after the 5 s of its resolver, which asks by a socket
// that is not connected and so learns nothing of a port that the kernel refuses. Both are told.
func TestNoListByLibc(t *testing.T) {
	t.Parallel()
	source, err := filepath.Abs("testdata/clients.c")
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]time.Duration{}
	for _, c := range []struct {
		compiler string
		least    time.Duration
	}{{"gcc", 0}, {"musl-gcc", 4 * time.Second}} {
		t.Run(c.compiler, func(t *testing.T) {
			dir := testbed.Folder(t)
			program := filepath.Join(dir, "clients")
			words := []string{"-O1", "-o", program, source}
			if c.least > 0 {
				words = append([]string{"-static"}, words...)
			}
			if text, err := exec.Command(installed(t, c.compiler), words...).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			site := c.compiler + ".nolist.example.com"
			l := launch{Launch: host.Launch{Run: true}, Grant: []string{dir}}
			began := time.Now()
			e := l.command(t, program, site+":80")
			took[c.compiler] = time.Since(began)
			if text := e.Stdout.String(); !strings.HasPrefix(text, "ERR ") || took[c.compiler] < c.least {
				t.Errorf("%q after %s, want an error after %s", text, took[c.compiler], c.least)
			}
			e.told(t, denied{Kind: "name", Host: site, Flag: "--allow-domain " + site})
		})
	}
	if slow := took["musl-gcc"]; slow > 0 && took["gcc"] > slow { // musl's is the yardstick
		t.Errorf("glibc waited as well: %v", took)
	}
}
