package publish_test

import (
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
)

// A launch whose ports cannot be had is refused, with what to do, before anything runs.
func TestRefused(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, test := range []struct {
		name string
		launch
		words []string
	}{
		{"taken", launch{Publish: []string{"0:80", taken.Addr().String() + ":3000"}},
			[]string{"network: publish " + taken.Addr().String() + ": address already in use", "or 0 for any"}},
		{"twice", launch{Publish: []string{"[::1]:0:1", "192.0.2.1:0:3000"}}, []string{"publish 192.0.2.1:0: cannot assign requested address", "an address of this machine"}},
		{"allowed port", launch{Publish: []string{"0:8443"}, Domains: []string{"a.example:8443"}}, []string{"network.publish 0:8443", "allowedDomains"}},
		{"port of names", launch{Publish: []string{"0:53"}, Domains: []string{"a.example:8443"}}, []string{"network.publish 0:53", "allowedDomains"}},
		{"reduced", launch{Launch: host.Launch{Begin: "reduced"}, Publish: []string{"0:3000"}}, []string{"network.publish 0:3000", "minConfinement reduced", "level network"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := test.start(t, "echo@127.0.0.1:3000")
			r.Wait()
			said := r.Stderr.String()
			for _, word := range test.words {
				if !strings.Contains(strings.ReplaceAll(said, "--min-confinement", "minConfinement"), word) {
					t.Errorf("no %q in %q", word, said)
				}
			}
			if out, _ := io.ReadAll(r.Said); r.Code != 125 || len(out) > 0 {
				t.Errorf("code %d, %q", r.Code, out)
			}
		})
	}
}

// In a confinement that the policy itself lets be lower, the server has no network, the host no port, and standard error
// says so.
func TestReducedByChoice(t *testing.T) {
	port := strconv.Itoa(free(t))
	l := launch{Launch: host.Launch{Begin: "reduced"}, Publish: []string{port + ":3000"}, Least: "reduced"}
	l.Policy, l.Command, l.Run = l.policy(t), []string{"/bin/cat"}, true
	r := host.Hold(t, l.Cmd(t))
	began := r.Began()
	if c, err := net.Dial("tcp", "127.0.0.1:"+port); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v, %v", c, err)
	}
	r.Stdin.Close()
	r.Wait()
	if r.Code != 0 || len(began.Publish) > 0 || !strings.Contains(r.Stderr.String(), "publish (the server has no network)") {
		t.Errorf("code %d, %q\n%s", r.Code, began.Publish, &r.Stderr)
	}
}
