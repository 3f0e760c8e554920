package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A file that is no socket is not removed to make room for one.
func TestListenKeepsFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notes")
	write(t, file, "mine")
	_, _, err := listen("listen", "unix:"+file, -1)
	if text, bad := os.ReadFile(file); err == nil || bad != nil || string(text) != "mine" {
		t.Errorf("%v: %v %q", err, bad, text)
	}
}

// The kernel gives up a client that acknowledges nothing more, as soon as one that was sent nothing.
func TestVanishedClients(t *testing.T) {
	l, url, err := listen("listen", "127.0.0.1:0", -1)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	served, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	raw, err := served.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	raw.Control(func(fd uintptr) {
		if ms, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT); err != nil || ms != 45_000 {
			t.Errorf("%d ms, %v", ms, err)
		}
	})
}
