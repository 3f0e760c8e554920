package policy

import (
	"net/netip"
	"strings"
	"testing"
)

func TestParsePublish(t *testing.T) {
	loopback := netip.MustParseAddr("127.0.0.1")
	for _, test := range []struct {
		text, written string
		want          Publish
	}{
		{"8080:3000", "127.0.0.1:8080:3000", Publish{loopback, 8080, 3000}},
		{"0:65535", "127.0.0.1:0:65535", Publish{loopback, 0, 65535}},
		{"65535:1", "127.0.0.1:65535:1", Publish{loopback, 65535, 1}},
		{"0.0.0.0:80:80", "0.0.0.0:80:80", Publish{netip.MustParseAddr("0.0.0.0"), 80, 80}},
		{"[::1]:0:80", "[::1]:0:80", Publish{netip.MustParseAddr("::1"), 0, 80}},
		{"[0::0]:1:2", "[::]:1:2", Publish{netip.MustParseAddr("::"), 1, 2}},
	} {
		got, err := ParsePublish(test.text)
		if err != nil || got != test.want || got.String() != test.written {
			t.Errorf("%s: got %v, %v", test.text, got, err)
		}
	}
	for why, list := range map[string]string{
		"is no HOSTPORT:PORT": "3000 localhost []",
		"port of the host":    ":3000 65536:1 -1:1 01:1 http:1 127.0.0.1::3000 8080-8081:1 +1:1",
		"port of the server":  "8080:0 8080: 8080:65536 8080:03 8080:3000/udp 8080:3000/tcp 0:0",
		"address in front": "localhost:1:2 ::1:1:2 [::1:1:2 ::1]:1:2 [127.0.0.1]:1:2 [fe80::1%eth0]:1:2 [::ffff:127.0.0.1]:1:2 224.0.0.1:1:2 " +
			"1.2.3:1:2 :1:2 a:b:1:2 *:1:2",
	} {
		for entry := range strings.FieldsSeq(list) {
			if p, err := ParsePublish(entry); err == nil || !strings.Contains(err.Error(), why) || p != (Publish{}) {
				t.Errorf("%s: got %v, %v; want %s", entry, p, err, why)
			}
		}
	}
}

// What is read is written in one form, which is read as the same.
func FuzzParsePublish(f *testing.F) {
	for _, s := range []string{"8080:3000", "0:1", "[::1]:0:80", "0.0.0.0:80:80", ":::1:2", "[::1", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParsePublish(s)
		if err != nil {
			return
		}
		if again, err := ParsePublish(p.String()); err != nil || again != p || p.Port == 0 {
			t.Errorf("%q is %v, read again %v, %v", s, p, again, err)
		}
	})
}
