package endings_test

import (
	"context"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// holdings are what a launch could leave behind in its host and on the machine.
type holdings struct {
	goroutines, descriptors, mounts, children, temporary, keys, systemV int
}

// count counts them. Temporary files are those of this user.
func count(t *testing.T) (h holdings) {
	t.Helper()
	runtime.GC() // and with it what a forgotten Sandbox holds
	h.goroutines = runtime.NumGoroutine()
	h.descriptors = entries(t, "/proc/self/fd")
	h.mounts = lines(t, "/proc/self/mountinfo")
	h.children = len(testbed.Children(os.Getpid()))
	for _, dir := range []string{"/tmp", "/dev/shm", "/var/tmp"} {
		h.temporary += entries(t, dir)
	}
	b, err := os.ReadFile("/proc/key-users")
	if err == nil { // not every kernel has keys
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) > 3 && f[0] == strconv.Itoa(os.Geteuid())+":" {
				h.keys, _ = strconv.Atoi(strings.Split(f[3], "/")[0])
			}
		}
	}
	for _, name := range []string{"shm", "sem", "msg"} {
		h.systemV += lines(t, "/proc/sysvipc/"+name)
	}
	return h
}

func entries(t *testing.T, dir string) (n int) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Log(err)
	}
	for _, e := range list {
		if info, err := e.Info(); err == nil && info.Sys().(*syscall.Stat_t).Uid == uint32(os.Geteuid()) {
			n++
		}
	}
	return n
}

// within reports whether nothing is left of so many launches. What other programs of this user do at the same time
// changes the machine's counts a little; a leak would change them by one for each launch.
func (h holdings) within(was holdings, launches int) bool {
	more := max(h.temporary-was.temporary, h.keys-was.keys, h.systemV-was.systemV)
	return h.goroutines <= was.goroutines && h.descriptors <= was.descriptors && h.mounts <= was.mounts &&
		h.children <= was.children && more < launches/4
}

func lines(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	return strings.Count(string(b), "\n")
}

// once launches a server, and ends it or lets it end, as hosts do.
func once(t *testing.T, i int) {
	p, err := policy.Parse([]byte(`{"version":1,"limits":{"grace":"1m"}}`))
	if err != nil {
		t.Error(err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: "/bin/sh", Args: []string{"-c", "echo ready; cat; exit 5"}, Dir: "/"})
	if err != nil {
		t.Error(err)
		return
	}
	sb.Cmd.Env = append(sb.Cmd.Env, testbed.NoWait)
	if i%5 == 4 {
		sb.Close() // never started
		return
	}
	in, err1 := sb.Cmd.StdinPipe()
	out, err2 := sb.Cmd.StdoutPipe()
	if err := sb.Cmd.Start(); err != nil || err1 != nil || err2 != nil {
		t.Error(err, err1, err2)
		return
	}
	out.Read(make([]byte, 16))
	switch i % 5 {
	case 0: // and never asks how it went
	case 1:
		if _, err := sb.Report(ctx); err != nil {
			t.Error(err)
		}
	case 2:
		cancel()
	case 3:
		sb.Close()
	}
	in.Close()
	if i%5 == 1 {
		if x, err := sb.Wait(ctx); err != nil || x.ExitCode != 5 {
			t.Error(x, err)
		}
	}
	sb.Cmd.Wait()
}

// Launches one after the other, and many at once, leave nothing behind. MCP_SANDBOX_STRESS makes it a thousand and two
// hundred.
func TestLeaks(t *testing.T) {
	sequential, concurrent := 100, 40
	switch {
	case stress():
		sequential, concurrent = 1000, 200
	case testing.Short():
		sequential, concurrent = 60, 20
	}
	for i := range 10 { // what is made once
		once(t, i)
	}
	atOnce(t, 10)
	before := count(t)
	calm := 0
	testbed.Comes(func() bool { // the tests before this one may not be quite over
		if now := count(t); now.goroutines != before.goroutines || now.descriptors != before.descriptors {
			before, calm = now, 0
		}
		calm++
		return calm > 50
	})
	began := time.Now()
	for i := range sequential {
		once(t, i)
	}
	t.Logf("%d launches one after the other in %.1f s", sequential, time.Since(began).Seconds())
	began = time.Now()
	atOnce(t, concurrent)
	t.Logf("%d launches at once in %.1f s", concurrent, time.Since(began).Seconds())
	var after holdings
	testbed.Comes(func() bool { // the kernel frees some of it a little later
		after = count(t)
		return after.within(before, sequential)
	})
	t.Logf("before %+v", before)
	t.Logf("after  %+v", after)
	if !after.within(before, sequential) {
		t.Error("something is left")
	}
}

func atOnce(t *testing.T, n int) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { once(t, i) })
	}
	wg.Wait()
}
