package egress_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Without a list a name fails at once with glibc, and with musl after the 5 s of its resolver, which asks by a socket
// that is not connected and so learns nothing of a port that the kernel refuses. Both are told.
func TestNoListByLibc(t *testing.T) {
	source, err := filepath.Abs("testdata/clients.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		compiler    string
		least, most time.Duration
	}{{"gcc", 0, 4 * time.Second}, {"musl-gcc", 4 * time.Second, time.Minute}} {
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
			host := c.compiler + ".nolist.example.com"
			l := launch{Run: true, Grant: []string{dir}}
			began := time.Now()
			e := l.command(t, program, host+":80")
			took := time.Since(began)
			if text := e.Stdout.String(); !strings.HasPrefix(text, "ERR ") || took < c.least || took > c.most {
				t.Errorf("%q after %s, want an error after %s to %s", text, took, c.least, c.most)
			}
			e.told(t, denied{Kind: "name", Host: host, Flag: "--allow-domain " + host})
		})
	}
}
