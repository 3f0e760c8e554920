package launcher_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// The control of Probe's whole-tree kill: without a sandbox the daemon outlives its server, and the pipe stays open.
func TestDaemonOutlivesItsServer(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command(self, reexec.DaemonServer)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pipe, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(w.Fd())))
	w.Close()
	b := make([]byte, 100)
	r.SetReadDeadline(time.Now().Add(testbed.Patience()))
	if n, err := r.Read(b); string(b[:n]) != reexec.Daemonised {
		t.Fatalf("%q %v", b[:n], err)
	}
	cmd.Process.Signal(unix.SIGTERM)
	cmd.Wait()
	endWriters(t, pipe)
	r.SetReadDeadline(time.Now().Add(testbed.Patience()))
	if b, err := io.ReadAll(r); len(b) > 0 || err != nil {
		t.Errorf("%q %v", b, err)
	}
}

// endWriters kills the daemons whose standard output the pipe is; there has to be one, which sleeps.
func endWriters(t *testing.T, pipe string) {
	found, _ := filepath.Glob("/proc/[0-9]*/fd/1")
	ended := 0
	for _, f := range found {
		if to, _ := os.Readlink(f); to == pipe {
			pid, _ := strconv.Atoi(strings.Split(f, "/")[2])
			if !testbed.Spared(t, pid) {
				t.Error("the daemon has ended")
			}
			unix.Kill(pid, unix.SIGKILL)
			ended++
		}
	}
	if ended != 1 {
		t.Errorf("%d daemons", ended)
	}
}
