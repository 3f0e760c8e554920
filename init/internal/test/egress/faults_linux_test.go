package egress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A session is a launch by the project's own program, whose memory is that of a launch, and whose client waits in its
// acts for the test.
type session struct {
	*testing.T
	launch launch
	run    *host.Run
	in     io.WriteCloser
	out    *json.Decoder
	Shim   int
}

func (l launch) session(t *testing.T, acts ...string) *session {
	t.Helper()
	policy := filepath.Join(testbed.Folder(t), "policy.json")
	if err := os.WriteFile(policy, []byte(l.policy(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := l.cmd(t)
	words := append([]string{testbed.Command(t, "mcp-sandbox-init"), "--policy", policy, "--report-fd", strconv.Itoa(host.ReportFD), "--",
		clientProgram(t), clientIs}, acts...)
	words = append(l.Prefix, words...)
	cmd.Path, cmd.Args = words[0], words
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := &session{T: t, launch: l, in: in, out: json.NewDecoder(out)}
	s.run = host.Start(t, cmd)
	s.run.Began()
	s.Shim = cmd.Process.Pid
	return s
}

// next is what the next act came to.
func (s *session) next() (r result) {
	s.Helper()
	watchdog := time.AfterFunc(testbed.Patience(), func() { s.run.Cmd.Process.Kill() })
	defer watchdog.Stop()
	if err := s.out.Decode(&r); err != nil {
		s.Fatalf("no result: %v\n%s", err, &s.run.Stderr)
	}
	return r
}

// good is what the next act came to, which went well.
func (s *session) good() result {
	s.Helper()
	r := s.next()
	if r.Error != "" {
		s.Errorf("%s", r)
	}
	return r
}

// release has the client go on behind a wait.
func (s *session) release() {
	s.Helper()
	if _, err := s.in.Write([]byte("\n")); err != nil {
		s.Fatal(err)
	}
	s.good()
}

func (s *session) end() *ended {
	s.Helper()
	s.in.Close()
	e := s.launch.over(s.T, s.run)
	if e.Code != 0 {
		s.Errorf("code %d\n%s", e.Code, &e.Stderr)
	}
	return e
}

// rss is the resident memory of the shim in bytes.
func (s *session) rss() int64 { return inStatus(s.T, s.Shim, "VmRSS") << 10 }

// inStatus is a number of proc_pid_status(5).
func inStatus(t *testing.T, pid int, key string) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[0] == key+":" {
			return must(t, f[1])
		}
	}
	t.Fatalf("no %s", key)
	return 0
}

// used is the processor time that the shim used since its start; proc_pid_stat(5), in ticks of 10 ms.
func (s *session) used() time.Duration {
	s.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.Shim))
	if err != nil {
		s.Fatal(err)
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	return time.Duration(must(s.T, f[11])+must(s.T, f[12])) * 10 * time.Millisecond
}

// idle demands that the shim sleeps for a second, up to a few wake-ups of its own.
func (s *session) idle(when string) {
	s.Helper()
	before := s.used()
	time.Sleep(time.Second)
	used := s.used() - before
	s.Logf("%s: the shim used %v of a second", when, used)
	if used > 50*time.Millisecond {
		s.Errorf("%s: the shim used %v of a second", when, used)
	}
}

// most has the shim's memory watched until a result comes, and demands that it grows by less than 16 MiB.
func (s *session) most(when string, before int64) result {
	s.Helper()
	done := make(chan result, 1)
	go func() {
		var r result
		if err := s.out.Decode(&r); err != nil {
			r.Error = err.Error()
		}
		done <- r
	}()
	most := before
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		select {
		case r := <-done:
			tick.Stop()
			s.Logf("%s: the shim has %d KiB more than the %d KiB before", when, (most-before)>>10, before>>10)
			if most-before > 16<<20 {
				s.Errorf("%s: the shim has %d KiB more than the %d KiB before", when, (most-before)>>10, before>>10)
			}
			if r.Error != "" {
				s.Errorf("%s", r)
			}
			return r
		case <-tick.C:
			most = max(most, s.rss())
		}
	}
}

// own are the descriptors of this process.
func ownDescriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
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
func TestLauncherKilled(t *testing.T) {
	s := newSite(t, "killed-launcher.example.com").serve(t, 7, echo).serve(t, 19, source)
	rounds := 24
	if testing.Short() {
		rounds = 8
	}
	l := launch{network: network{Allowed: hostPorts(s.Name, 7, 19)}}
	before := 0
	for round := range rounds {
		if round == 1 { // the first one opened what the tests themselves keep
			before = ownDescriptors(t)
		}
		cmd := l.cmd(t, clientProgram(t), clientIs, act("stall", s.Name+":19", "100000000", "4"), act("streams", s.Name+":7", "8", "100000000"))
		run := host.Start(t, cmd)
		run.Began()
		after := rand.N(200 * time.Millisecond)
		time.Sleep(after) // any moment: there is no sign to wait for
		cmd.Process.Kill()
		run.Wait()
		if run.Code != -1 {
			t.Fatalf("after %v: code %d\n%s", after, run.Code, &run.Stderr)
		}
		host.Await(t, fmt.Sprintf("after %v: the end of all processes", after), func() bool { return len(withWord(s.Name)) == 0 })
		host.Await(t, fmt.Sprintf("after %v: the end of all connections", after), func() bool { return s.Accepted.Load() == s.Ended.Load() })
	}
	if s.Accepted.Load() == 0 {
		t.Error("no moment was late enough for a connection")
	}
	host.Await(t, "as many descriptors as before", func() bool { return ownDescriptors(t) <= before })
}

// The launcher may open few files: connections that it cannot carry are reset and told, it does not spin, and all is well
// when there are fewer.
func TestFewFiles(t *testing.T) {
	for _, most := range []int{64, 256} {
		t.Run(strconv.Itoa(most), func(t *testing.T) {
			s := newSite(t, fmt.Sprintf("files-%d.example.com", most)).serve(t, 7, echo)
			l := launch{network: network{Allowed: []string{s.Name + ":7"}},
				Prefix: []string{"/bin/sh", "-c", fmt.Sprintf(`ulimit -n %d && exec "$0" "$@"`, most)}}
			at := s.Name + ":7"
			run := l.session(t, act("tcp", at, "before"), act("crowd", at, "20"), act("drop"), act("crowd", at, "400"), act("wait"),
				act("crowd", at, "100"), act("drop"), act("wait"), act("crowd", at, "20"), act("streams", at, "8", "100000"))
			run.good()
			if r := run.good(); r.Count != 20 {
				t.Errorf("20 connections: %s", r)
			}
			run.good()
			r := run.good()
			t.Logf("of 400: %d echo, the others have %v", r.Count, r.All)
			if r.Count < int64(most)/4 || r.Count >= int64(most)/2 {
				t.Errorf("of 400 connections %d echo", r.Count)
			}
			run.idle("at the limit")
			run.release()
			more := run.good()
			for _, name := range append(r.All, more.All...) {
				if !oneOf(name, "ECONNRESET|SERVFAIL|EPIPE") { // a name that cannot be asked for is no unknown name
					t.Errorf("a connection that is refused has %s", name)
				}
			}
			run.good()
			run.idle("after")
			run.release()
			if r := run.good(); r.Count != 20 {
				t.Errorf("20 connections after all: %s", r)
			}
			run.good()
			e := run.end()
			e.told(t, denied{Kind: "limit"})
		})
	}
}

// 10,000 names that are not known, and as many below a star, leave nothing in the launcher that they cost.
func TestManyNames(t *testing.T) {
	const many = 10000
	s := newSite(t, "many-names.example.com").serve(t, 7, whoami("names"))
	for i := range many {
		know(t, fmt.Sprintf("n%d-of-a-flood-of-names.below.many-names.example.com", i), name{Addresses: s.addresses(), TTL: 60})
	}
	l := launch{network: network{Allowed: []string{s.Name + ":7", "*.below.many-names.example.com:7", "*.nowhere.many-names.example.com:7"}}}
	n := strconv.Itoa(many)
	run := l.session(t, act("banner", s.Name+":7"), act("wait"), act("flood", "unknown.many-names.example.com", n),
		act("flood", "nowhere.many-names.example.com", n), act("flood", "below.many-names.example.com", n), act("banner", s.Name+":7"))
	run.good()
	before := run.rss()
	run.release()
	for _, kind := range []string{"names that no list has", "names that do not exist", "names below a star"} {
		if r := run.most("10,000 "+kind, before); r.Count != many {
			t.Errorf("%s: %s", kind, r)
		} else {
			t.Logf("%s: answers by code: %s", kind, r.Text)
		}
	}
	run.good()
	run.end()
}

// 512 streams that are all busy are no more memory than their buffers.
func TestMemoryOfStreams(t *testing.T) {
	s := newSite(t, "memory.example.com").serve(t, 7, echo)
	l := launch{network: network{Allowed: []string{s.Name + ":7"}}}
	run := l.session(t, act("tcp", s.Name+":7", "before"), act("wait"), act("streams", s.Name+":7", "512", "100000"), act("tcp", s.Name+":7", "after"))
	run.good()
	before := run.rss()
	run.release()
	if r := run.most("512 busy streams", before); r.Count != 512 {
		t.Errorf("%s", r)
	}
	run.good()
	run.end()
}

// Who does not read holds up nobody else, costs the launcher no processor and no memory, and gets every byte later.
func TestSlowReaders(t *testing.T) {
	stop := make(chan struct{})
	s := newSite(t, "slow-readers.example.com").serve(t, 7, echo).serve(t, 19, source).serve(t, 20, func(*net.TCPConn) { <-stop })
	defer close(stop)
	l := launch{network: network{Allowed: hostPorts(s.Name, 7, 19, 20)}}
	size := strconv.Itoa(16 << 20)
	run := l.session(t, act("tcp", s.Name+":7", "before"), act("wait"), act("stall", s.Name+":19", size, "16"),
		act("streams", s.Name+":7", "8", "1000000"), act("wait"), act("drain", size), act("push", s.Name+":20", "8"),
		act("streams", s.Name+":7", "8", "1000000"), act("wait"), act("drop"), act("tcp", s.Name+":7", "after"))
	run.good()
	before := run.rss()
	run.release()
	run.good()
	run.most("beside 16 clients that do not read", before)
	run.idle("16 clients that do not read")
	run.release()
	if r := run.most("16 clients that read at last", before); r.Count != 16 {
		t.Errorf("%s", r)
	}
	if r := run.most("8 clients of a host that does not read", before); r.Count == 0 {
		t.Errorf("%s", r)
	}
	run.most("beside a host that does not read", before)
	run.idle("a host that does not read")
	run.release()
	run.good()
	run.good()
	run.end()
}
