package egress_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// ownDescriptors are the descriptors of this process.
func ownDescriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// descendants are the processes below one.
func descendants(of int) (all []int) {
	for _, pid := range testbed.Children(of) {
		all = append(append(all, pid), descendants(pid)...)
	}
	return all
}

// withWord are the processes that have a word in their arguments.
func withWord(word string) (all []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range names {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(word)) {
			all = append(all, filepath.Dir(path))
		}
	}
	return all
}

// The launcher is killed at any moment of its streams: nothing is left of the sandbox, neither here nor at the hosts.
func TestLauncherKilled(t *testing.T) { both(t, testLauncherKilled) }

func testLauncherKilled(t *testing.T, in confinement) {
	s := newSite(t, fmt.Sprintf("killed-launcher-%d.example.com", os.Getpid())).serve(t, 7, echo).serve(t, 19, source)
	rounds := 24
	if testing.Short() {
		rounds = map[string]int{full.name: 8, reduced.name: 4}[in.name]
	}
	l := launch{in: in, network: network{Allowed: hostPorts(s.Name, 7, 19)}}
	before := 0
	for round := range rounds {
		if round == 1 { // the first one opened what the tests themselves keep
			before = ownDescriptors(t)
		}
		cmd := l.cmd(t, testbed.Self(t, "client"), clientIs, act("stall", s.Name+":19", "100000000", "4"), act("streams", s.Name+":7", "8", "100000000"))
		run := host.Start(t, cmd)
		if round%4 > 0 { // else while the launch is made
			run.Began()
		}
		after := rand.IntN(200)
		testbed.Moment(after, 200, 200*time.Millisecond)
		if round == rounds-1 { // on a slow machine no moment may have been late enough
			testbed.Await(t, "a connection", func() bool { return s.Accepted.Load() > 0 })
		}
		below := descendants(cmd.Process.Pid)
		cmd.Process.Kill()
		run.Wait()
		if run.Code != -1 {
			t.Fatalf("after %d ms: code %d\n%s", after, run.Code, &run.Stderr)
		}
		testbed.Await(t, fmt.Sprintf("after %d ms: the end of all processes", after), func() bool { return len(withWord(s.Name)) == 0 })
		for _, pid := range below {
			testbed.Await(t, fmt.Sprintf("after %d ms: the end of process %d", after, pid), func() bool { s := testbed.State(pid); return s == "" || s == "Z" })
		}
		testbed.Await(t, fmt.Sprintf("after %d ms: the end of all connections", after), func() bool { return s.Accepted.Load() == s.Ended.Load() })
	}
	testbed.Await(t, "as many descriptors as before", func() bool {
		runtime.GC() // pipes that io.Copy spliced through are closed with the garbage
		return ownDescriptors(t) <= before
	})
}

// A limit of open files that no launch can be made with is told as that.
func TestTooFewFiles(t *testing.T) {
	l := launch{network: network{Allowed: []string{"few.example.com"}}, Prefix: []string{"/bin/sh", "-c", `ulimit -n 40 && exec "$0" "$@"`}}
	run := startRefused(t, l)
	if said := fmt.Sprintf("%s", run.Lines); run.Code != 125 || !strings.Contains(said, "ulimit -n") {
		t.Errorf("code %d, %s", run.Code, said)
	}
}

// The launcher may open few files: connections that it cannot carry are reset and told, it does not spin, and all is well
// when there are fewer, or when it may again.
func TestFewFiles(t *testing.T) {
	t.Parallel()
	for _, most := range []uint64{64, 256} {
		t.Run(strconv.FormatUint(most, 10), func(t *testing.T) {
			beside(t, func(t *testing.T, in confinement) { fewFiles(t, in, most) })
		})
	}
}

func fewFiles(t *testing.T, in confinement, most uint64) {
	s := newSite(t, fmt.Sprintf("files-%d.%s.example.com", most, in.name)).serve(t, 7, echo)
	l, at := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}, s.Name+":7"
	other := newSite(t, fmt.Sprintf("other-than-files-%d.%s.example.com", most, in.name))
	l.Allowed = append(l.Allowed, other.Name)
	run := l.session(t, act("tcp", at, "before"), act("wait"), act("crowd", at, "400"), act("wait"), act("crowd", at, "100"),
		act("lookup", other.Name), act("drop"), act("wait"), act("crowd", at, "10"), act("drop"), act("wait"), act("crowd", at, "400"), act("streams", at, "8", "100000"))
	run.good()
	var was unix.Rlimit
	limit := func(l, old *unix.Rlimit) {
		t.Helper()
		if err := unix.Prlimit(run.Shim, unix.RLIMIT_NOFILE, l, old); err != nil { // the launcher's alone, whatever it set at its start
			t.Fatal(err)
		}
	}
	limit(nil, &was)
	limit(&unix.Rlimit{Cur: most, Max: was.Max}, nil)
	run.release()
	r := run.good()
	t.Logf("of 400: %d echo, the others have %v", r.Count, r.All)
	if most := int64(most); r.Count < most/8 || r.Count >= most/2 {
		t.Errorf("of 400 connections %d echo", r.Count)
	}
	run.idle("at the limit")
	run.release()
	for _, name := range append(r.All, run.good().All...) {
		if !oneOf(name, in.full+"|EPIPE|SERVFAIL") { // never an unknown name, nor silence
			t.Errorf("a connection that is refused has %s", name)
		}
	}
	if r := run.next(); r.Error != "" && !strings.HasPrefix(r.Error, "SERVFAIL") {
		t.Errorf("a name that there was no socket to ask for: %s", r)
	}
	run.good()
	run.idle("after")
	run.release()
	if r := run.good(); r.Count != 10 {
		t.Errorf("10 connections after 400: %s", r)
	}
	run.good()
	limit(&was, nil)
	run.release()
	if r := run.good(); r.Count != 400 {
		t.Errorf("400 connections with more files: %s", r)
	}
	run.good()
	run.end().told(t, denied{Kind: "limit"})
}

// 512 streams that are all busy are no more memory than their buffers.
func TestMemoryOfStreams(t *testing.T) { beside(t, testMemoryOfStreams) }

func testMemoryOfStreams(t *testing.T, in confinement) {
	s := newSite(t, in.name+".memory.example.com").serve(t, 7, echo)
	l := launch{in: in, network: network{Allowed: []string{s.Name + ":7"}}}
	run := l.session(t, act("tcp", s.Name+":7", "before"), act("wait"), act("busy", s.Name+":7", "512", "2s"), act("wait"), act("tcp", s.Name+":7", "after"))
	ended := func() { // 512 are the most
		t.Helper()
		testbed.Await(t, "the end of all streams", func() bool { return s.Accepted.Load() == s.Ended.Load() })
	}
	run.good()
	ended()
	before := run.rss()
	run.release()
	if r := run.most("512 busy streams", before); r.Count != 512 {
		t.Errorf("%s", r)
	}
	ended()
	run.release()
	run.good()
	run.end()
}

// Who does not read holds up nobody else, costs the launcher no processor and no memory, and gets every byte later.
func TestSlowReaders(t *testing.T) { beside(t, testSlowReaders) }

func testSlowReaders(t *testing.T, in confinement) {
	stop := make(chan struct{})
	s := newSite(t, in.name+".slow-readers.example.com").serve(t, 7, echo).serve(t, 19, source).serve(t, 20, func(*net.TCPConn) { <-stop })
	defer close(stop)
	l := launch{in: in, network: network{Allowed: hostPorts(s.Name, 7, 19, 20)}}
	size := strconv.Itoa(16 << 20)
	run := l.session(t, act("tcp", s.Name+":7", "before"), act("wait"), act("stall", s.Name+":19", size, "6"),
		act("streams", s.Name+":7", "8", "1000000"), act("wait"), act("drain", size), act("push", s.Name+":20", "4"),
		act("streams", s.Name+":7", "8", "1000000"), act("wait"), act("drop"), act("tcp", s.Name+":7", "after"))
	run.good()
	before := run.rss()
	run.release()
	run.good()
	run.most("beside 6 clients that do not read", before)
	run.idle("6 clients that do not read")
	run.release()
	if r := run.most("6 clients that read at last", before); r.Count != 6 {
		t.Errorf("%s", r)
	}
	if r := run.most("4 clients of a host that does not read", before); r.Count == 0 {
		t.Errorf("%s", r)
	}
	run.most("beside a host that does not read", before)
	run.idle("a host that does not read")
	run.release()
	run.good()
	run.good()
	run.end()
}
