package escape_test

import (
	"net"
	"os/exec"
	"strconv"
	"testing"
)

// sleeper is the id of a process of the host.
func sleeper(t *testing.T, program string) string {
	t.Helper()
	cmd := exec.Command(program, "sleep", "60s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return strconv.Itoa(cmd.Process.Pid)
}

// listener is the port of a TCP listener of the host's loopback.
func listener(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}
