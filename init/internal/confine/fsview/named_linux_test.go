package fsview

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// nodeName is this machine's name.
func nodeName(t *testing.T) string {
	t.Helper()
	var uts unix.Utsname
	must(t, unix.Uname(&uts))
	return unix.ByteSliceToString(uts.Nodename[:])
}

// A server with a network namespace of its own looks names up at the sandbox's own address, whatever the host's files
// say.
func TestNamedHosts(t *testing.T) {
	for _, c := range []struct {
		name    string
		domains []string
		hostNet bool
		want    bool
	}{
		{name: "domains", domains: []string{"a.example"}, want: true},
		{name: "no domains", want: true},
		{name: "the host's network", hostNet: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := wish{}.request(plant(t, ""))
			r.Policy.Network.AllowedDomains, r.HostNet = c.domains, c.hostNet
			v, err := Plan(r)
			must(t, err)
			for path, content := range map[string]string{
				"/etc/resolv.conf": resolvFile, "/etc/hosts": hostsWith(nodeName(t)),
			} {
				n := find(v, path)
				if got := n != nil && n.Kind == File && n.Content == content; got != c.want {
					t.Errorf("%s: %+v", path, n)
				}
			}
		})
	}
}

func TestHostsWith(t *testing.T) {
	for name, line := range map[string]string{
		"box": "127.0.1.1\tbox\n", "My-Box.lan": "127.0.1.1\tMy-Box.lan\n", "": "", "localhost": "", "a b": "", "a\nb": "",
		"1.2.3.4": "", "-x": "", strings.Repeat("x", 65): "", "(none)": "", "bücher": "",
	} {
		if got := hostsWith(name); got != hostsFile+line {
			t.Errorf("%q: %q", name, got)
		}
	}
}
