package seccomp

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPairs is why NoUnix refuses datagram pairs and no others: only their ends can be pointed at another socket.
func TestPairs(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    int
		reaches bool
	}{
		{"stream", unix.SOCK_STREAM, false},
		{"seqpacket", unix.SOCK_SEQPACKET, false},
		{"dgram", unix.SOCK_DGRAM, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host, err := unix.Socket(unix.AF_UNIX, tt.kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(host)
			address := &unix.SockaddrUnix{Name: t.TempDir() + "/s"}
			if err := unix.Bind(host, address); err != nil {
				t.Fatal(err)
			}
			if tt.kind != unix.SOCK_DGRAM {
				if err := unix.Listen(host, 1); err != nil {
					t.Fatal(err)
				}
			}
			pair, err := unix.Socketpair(unix.AF_UNIX, tt.kind|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(pair[0])
			defer unix.Close(pair[1])
			if err := unix.Connect(pair[0], address); (err == nil) != tt.reaches {
				t.Errorf("connect: %v, reaches %v", err, tt.reaches)
			}
		})
	}
}
