package pairs_test

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A server whose memory does not answer holds up its own network, and nothing else of its launcher: a signal arrives.
func TestSlowMemory(t *testing.T) {
	if !testbed.OwnMounts(t) {
		return
	}
	w := newWorld(t)
	w.Slow = filepath.Join(w.Dir, "fuse")
	if err := os.Mkdir(w.Slow, 0o755); err != nil {
		t.Fatal(err)
	}
	end := testbed.Fuse(t, w.Slow, testbed.Slow)
	_, s := w.launch(t)
	s.asked = "slow memory"
	before := testbed.FuseRequests()
	fmt.Fprintln(s.in, s.asked)
	testbed.Await(t, "the launcher's look at the memory", func() bool { return testbed.FuseRequests() > before })
	if err := unix.Kill(s.shim, unix.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if text := s.hear().Text; text != "terminated" {
		t.Errorf("the server: %q", text)
	}
	end()
	if text := s.hear().Text; text != "EFAULT" {
		t.Errorf("the server's call: %q", text)
	}
}

// slowMemory connects to an address in memory whose bytes never come, and says so when it is asked to end.
func slowMemory(s *server) string {
	f, err := os.Open(filepath.Join(s.Slow, testbed.SlowFile))
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, 4096, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return err.Error()
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, unix.SIGTERM)
	result := make(chan string)
	fd := s.tcp()
	go func() {
		undisturbed()
		result <- call(unix.SYS_CONNECT, fd, addressOf(b), 16)
	}()
	s.say(said{Text: (<-ends).String()})
	return <-result
}
