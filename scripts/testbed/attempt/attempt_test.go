package attempt

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// must makes an attempt that is called rightly.
func must(t *testing.T, name string, args ...string) Result {
	t.Helper()
	r, err := Do(name, args...)
	if err != nil {
		t.Fatalf("%s %q: %v", name, args, err)
	}
	return r
}

func TestUsageErrors(t *testing.T) {
	for _, words := range [][]string{
		{"fly"}, {"read"}, {"read", "a", "b"}, {"sleep", "soon"},
		{"chmod", "9", "f"}, {"spawn"},
	} {
		if r, err := Do(words[0], words[1:]...); err == nil {
			t.Errorf("%q was tried: %+v", words, r)
		}
	}
}

func TestUsageNamesEveryAction(t *testing.T) {
	for name := range actions() {
		if !strings.Contains(Usage(), "  "+name+" ") {
			t.Errorf("%s is missing", name)
		}
	}
}

// Each act on files goes through where it can and is refused where it cannot, and leaves what it says.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	none := at("none/none")
	for _, c := range []struct {
		name string
		args []string
		ok   bool
		want string // in the detail
	}{
		{"write", []string{at("f"), "one"}, true, "3 bytes"},
		{"append", []string{at("f"), "two"}, true, "3 bytes"},
		{"read", []string{at("f")}, true, "onetwo"},
		{"stat", []string{at("f")}, true, "6 bytes"},
		{"mkdir", []string{at("d")}, true, ""},
		{"link", []string{at("f"), at("d/g")}, true, ""},
		{"rename", []string{at("d/g"), at("d/h")}, true, ""},
		{"list", []string{at("d")}, true, "h"},
		{"chmod", []string{"400", at("f")}, true, ""},
		{"stat", []string{at("f")}, true, "-r--"},
		{"chmod", []string{"600", at("f")}, true, ""},
		{"remove", []string{at("d/h")}, true, ""},
		{"list", []string{at("d")}, true, ""},
		{"read", []string{none}, false, "none"},
		{"write", []string{none}, false, "none"},
		{"append", []string{none}, false, "none"},
		{"list", []string{none}, false, "none"},
		{"stat", []string{none}, false, "none"},
		{"mkdir", []string{none}, false, "none"},
		{"remove", []string{none}, false, "none"},
		{"rename", []string{at("f"), none}, false, "none"},
		{"link", []string{at("f"), none}, false, "none"},
		{"symlink", []string{at("f"), none}, false, "none"},
		{"chmod", []string{"644", none}, false, "none"},
	} {
		r := must(t, c.name, c.args...)
		if r.OK != c.ok || !strings.Contains(r.Detail, c.want) || (r.Errno == "") != c.ok {
			t.Errorf("%s %q: %+v", c.name, c.args, r)
		}
		if runtime.GOOS == "linux" && !c.ok && r.Errno != "ENOENT" {
			t.Errorf("%s %q: errno %s, want ENOENT", c.name, c.args, r.Errno)
		}
	}
}

func TestReadStopsAtLimit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "big")
	if err := os.WriteFile(path, make([]byte, 3*readLimit), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := must(t, "read", path); len(r.Detail) != readLimit {
		t.Errorf("%d bytes told", len(r.Detail))
	}
}

// A connect is ok only if something listens, and the listener hears it.
func TestConnect(t *testing.T) {
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	unix, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close()
	heard := make(chan string, 3)
	for _, l := range []net.Listener{tcp, unix} {
		go func() {
			if c, err := l.Accept(); err == nil {
				heard <- hear(c)
			}
		}()
	}
	go func() {
		word := make([]byte, 64)
		n, _, _ := udp.ReadFrom(word)
		heard <- string(word[:n])
	}()
	for network, address := range map[string]string{
		"tcp": tcp.Addr().String(), "udp": udp.LocalAddr().String(), "unix": unix.Addr().String(),
	} {
		if r := must(t, network, address); !r.OK {
			t.Errorf("%s: %+v", network, r)
		}
		if got := <-heard; got != "probe\n" {
			t.Errorf("%s: the listener heard %q", network, got)
		}
	}
	tcp.Close()
	if r := must(t, "tcp", tcp.Addr().String()); r.OK || r.Errno == "" {
		t.Errorf("nobody listens: %+v", r)
	}
}

func hear(c net.Conn) string {
	defer c.Close()
	word := make([]byte, 64)
	n, _ := c.Read(word)
	return string(word[:n])
}

func TestProcessWork(t *testing.T) {
	if r := must(t, "sleep", "1ms"); !r.OK {
		t.Errorf("sleep: %+v", r)
	}
	t.Setenv("ATTEMPT_TEST", "seen")
	if r := must(t, "env"); !strings.Contains(r.Detail, "ATTEMPT_TEST=seen") {
		t.Errorf("env: %+v", r)
	}
}
