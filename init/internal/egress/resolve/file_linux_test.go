package resolve

import (
	"errors"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
	"golang.org/x/sys/unix"
)

// Files are looked at once in 5 s, and read when they have changed.
func TestFilesChange(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, good)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "192.0.2.77 "+name+"\n")
	if got := b.look(t, name, dnsmessage.TypeA); addresses(got) != "192.0.2.77" || s.questions.Load() != 0 {
		t.Errorf("got %+v", got)
	}
	if got := b.look(t, name, dnsmessage.TypeAAAA); got.Code != NoData || s.questions.Load() != 0 {
		t.Errorf("got %+v", got)
	}
	b.write(t, "hosts", "192.0.2.99  x."+name+"\n")
	b.write(t, "resolv.conf", "nameserver 127.0.0.9\n")
	b.now = b.now.Add(lookEvery - 1)
	if got := b.look(t, name, dnsmessage.TypeA); addresses(got) != "192.0.2.77" {
		t.Errorf("too early: got %+v", got)
	}
	b.now = b.now.Add(1)
	got := b.look(t, name, dnsmessage.TypeA)
	if e, ok := errors.AsType[*ServerError](got.Err); !ok || e.Server.Addr() != netip.MustParseAddr("127.0.0.9") {
		t.Errorf("got %+v", got)
	}
}

// A nameserver with a zone is asked at that interface.
func TestZone(t *testing.T) {
	b := newBench(t, 53, "nameserver fe80::1%nosuchlink\noptions attempts:1\n", "")
	if got := b.look(t, name, dnsmessage.TypeA); got.Code != Failed || !errors.Is(got.Err, unix.ENODEV) {
		t.Errorf("got %+v", got)
	}
}

// A pipe or a folder in the place of a file is no file: nothing waits for a writer.
func TestNoRegularFile(t *testing.T) {
	s := listen(t, "127.0.0.1", 0, good)
	b := newBench(t, s.port(), "nameserver 127.0.0.1\n", "192.0.2.77 "+name+"\n")
	pipe := filepath.Join(b.dir, "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, b.dir, filepath.Join(b.dir, "none")} {
		if got := contents(path); got != "" {
			t.Errorf("%s: %q", path, got)
		}
	}
	b.files.hosts.path = pipe
	if got := b.look(t, name, dnsmessage.TypeA); addresses(got) != "192.0.2.1 192.0.2.2" {
		t.Errorf("got %+v", got)
	}
}

// A hosts file says which names an address has; hosts(5).
func TestNamesOf(t *testing.T) {
	h := hosts("# 127.0.0.1 not\n127.0.0.1 a b # c\n127.0.0.11 longer\n 127.0.0.1\tsecond\n::1 six\n0127.0.0.1 other\n127.0.0.1\n")
	for at, want := range map[string]string{"127.0.0.1": "a b second", "::ffff:127.0.0.1": "a b second", "::1": "six",
		"127.0.0.11": "longer", "127.0.0.2": "", "0.1": ""} {
		a, _ := netip.ParseAddr(at)
		if got := strings.Join(h.names(a), " "); got != want {
			t.Errorf("names of %s: %q, want %q", at, got, want)
		}
	}
}
