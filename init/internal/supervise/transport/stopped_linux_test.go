package transport_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A server that stops itself is a stopped job of the user's shell. Its children are stopped with it, and its time goes on.
func TestStoppedJob(t *testing.T) {
	s := shell(t)
	nap := "7" + strconv.Itoa(os.Getpid()) // nobody else sleeps so long
	napping := func() (pid int) {
		all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, f := range all {
			if b, _ := os.ReadFile(f); string(b) == "sleep\x00"+nap+"\x00" {
				pid, _ = strconv.Atoi(filepath.Base(filepath.Dir(f)))
			}
		}
		return pid
	}
	s.typed(launch{TTY: true, Timeout: "8s", Command: []string{"/bin/sh", "-c", "sleep " + nap + " & sleep 1; kill -STOP $$; wait"}}.words(t) + "\n")
	child, state := 0, ""
	for until := time.Now().Add(time.Minute); state != "T" && time.Now().Before(until); time.Sleep(5 * time.Millisecond) {
		if child = napping(); child != 0 {
			state = testbed.State(child)
		}
	}
	if state != "T" {
		t.Fatalf("process %d is %q while the job is stopped", child, state)
	}
	for until := time.Now().Add(time.Minute); napping() != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("the time limit does not end a stopped job")
		}
	}
}
