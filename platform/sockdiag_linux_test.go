package platform

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBoundSockets makes sockets of each kind and looks for them in the kernel's answer: by name and by inode.
func TestBoundSockets(t *testing.T) {
	t.Chdir(t.TempDir()) // sun_path is short
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	listen := func(network, name string) {
		t.Helper()
		var c interface{ Close() error }
		if network == "unixgram" {
			c, err = net.ListenUnixgram(network, &net.UnixAddr{Name: name, Net: network})
		} else {
			c, err = net.Listen(network, name)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
	}
	listen("unix", "relative")
	listen("unix", "@mcp-sandbox-abstract-"+strconv.Itoa(os.Getpid()))
	listen("unixgram", "log")
	listen("unixpacket", "packets")
	listen("unix", "odd \n\xff name")
	listen("unix", "moved")
	if err := os.Rename("moved", "elsewhere"); err != nil {
		t.Fatal(err)
	}
	bound, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(bound) // may listen later
	if err := unix.Bind(bound, &unix.SockaddrUnix{Name: filepath.Join(dir, "quiet")}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"log", "relative"} { // a datagram socket that somebody is connected to still hears others
		network := map[string]string{"log": "unixgram", "relative": "unix"}[name]
		c, err := net.Dial(network, name)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	all, err := BoundSockets()
	if errors.Is(err, unix.ENOENT) {
		t.Skip("this kernel has no module unix_diag, CONFIG_UNIX_DIAG: nothing lists its sockets")
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"relative", "log", "packets", "odd \n\xff name", "moved", filepath.Join(dir, "quiet")} {
		file := name
		if name == "moved" {
			file = "elsewhere"
		}
		var st unix.Statx_t
		if err := unix.Statx(unix.AT_FDCWD, file, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_INO, &st); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, s := range all {
			if s.Name == name && s.Ino == uint32(st.Ino) {
				n++
			}
		}
		if n == 0 { // one may be told twice
			t.Errorf("%q with inode %d is not told", name, st.Ino)
		}
	}
	if slices.ContainsFunc(all, func(s BoundSocket) bool { return s.Name == "" || s.Name[0] == 0 || s.Dev == 0 }) {
		t.Errorf("an abstract name, or no device: %+v", all)
	}
}

func TestParseBoundSockets(t *testing.T) {
	head := func(kind byte, body string) string {
		n := byte(16 + len(body))
		return string([]byte{n, 0, 0, 0, kind, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0}) + body
	}
	message := "\x01\x01\x0a\x00" + "\x07\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00"
	name, vfs := "\x07\x00\x00\x00/a\x00\x00", "\x0c\x00\x01\x00\x39\x30\x00\x00\x02\x01\xd0\x0f"
	want := BoundSocket{Name: "/a", Dev: 0xfd<<32 | 0x102, Ino: 12345}
	all, done, err := ParseBoundSockets([]byte(head(20, message+name+vfs)+head(20, message+name)+head(3, "\x00\x00\x00\x00")), nil)
	if err != nil || !done || len(all) != 1 || all[0] != want {
		t.Errorf("%+v, %v, %v", all, done, err)
	}
	accepted := "\x01\x01\x01" + message[3:] // by whoever listens
	if all, _, err := ParseBoundSockets([]byte(head(20, accepted+name+vfs)), nil); err != nil || len(all) != 0 {
		t.Errorf("a connection: %+v, %v", all, err)
	}
	if _, done, err := ParseBoundSockets([]byte(head(20, message+name+vfs)), nil); done || err != nil {
		t.Errorf("not the last: %v, %v", done, err)
	}
	if _, _, err := ParseBoundSockets([]byte(head(2, "\xfe\xff\xff\xff")), nil); !errors.Is(err, DiagError(unix.ENOENT)) {
		t.Errorf("an error: %v", err)
	}
	for _, bad := range []string{head(20, message[:15]), head(20, message+"\x03\x00\x00\x00"), head(20, message+"\xff\x00\x00\x00"),
		head(20, message+"\x08\x00\x01\x00abcd"), "\xff\x00\x00\x00\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x01" + head(20, "")[1:]} {
		if _, _, err := ParseBoundSockets([]byte(bad), nil); !errors.Is(err, DiagError(0)) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func FuzzParseBoundSockets(f *testing.F) {
	f.Add([]byte("\x24\x00\x00\x00\x14\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\x0a\x00\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		all, _, _ := ParseBoundSockets(b, nil)
		if len(all)*diagHead > len(b) {
			t.Errorf("%d sockets in %d bytes", len(all), len(b))
		}
	})
}

func BenchmarkBoundSockets(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := BoundSockets(); err != nil {
			b.Fatal(err)
		}
	}
}

// Sockets that are there all the time are told, however many others are made and removed while the kernel answers.
func TestBoundSocketsInAFlood(t *testing.T) {
	t.Chdir(t.TempDir())
	made := func(name string) func() {
		l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
		if err != nil {
			t.Error(err)
			return func() {}
		}
		return func() { l.Close(); os.Remove(name) }
	}
	const lasting, looks = 1500, 60
	for i := range lasting {
		t.Cleanup(made("lasting-" + strconv.Itoa(i)))
	}
	if _, err := BoundSockets(); errors.Is(err, unix.ENOENT) {
		t.Skip("this kernel has no module unix_diag, CONFIG_UNIX_DIAG: nothing lists its sockets")
	}
	stop, over := make(chan struct{}), make(chan struct{})
	for range 2 {
		go churn(stop, over)
	}
	defer func() { close(stop); <-over; <-over }()
	once, never := 0, 0
	for range looks {
		one, _, err := boundSockets()
		if err != nil {
			t.Fatal(err)
		}
		once += lasting - lastingOf(one)
		all, err := BoundSockets()
		if err != nil {
			t.Fatal(err)
		}
		never += lasting - lastingOf(all)
	}
	t.Logf("asked once %d of %d are passed over", once, lasting*looks)
	if never > 0 {
		t.Errorf("%d of %d are passed over", never, lasting*looks)
	}
}

func lastingOf(all []BoundSocket) int {
	names := map[string]bool{}
	for _, s := range all {
		if _, ok := strings.CutPrefix(s.Name, "lasting-"); ok {
			names[s.Name] = true
		}
	}
	return len(names)
}

// churn makes and removes sockets in all rows of the kernel's table: those without a name are in rows of their own,
// so they get one.
func churn(stop, over chan struct{}) {
	defer func() { over <- struct{}{} }()
	dir, err := os.MkdirTemp(".", "churn-")
	if err != nil {
		return
	}
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		var fds [200]int
		for i := range fds {
			fds[i], _ = unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			unix.Bind(fds[i], &unix.SockaddrUnix{Name: dir + "/" + strconv.Itoa(n) + "-" + strconv.Itoa(i)})
		}
		for i := range fds {
			unix.Close(fds[i])
			os.Remove(dir + "/" + strconv.Itoa(n) + "-" + strconv.Itoa(i))
		}
	}
}
