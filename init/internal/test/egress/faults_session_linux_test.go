package egress_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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
	out    *json.Decoder
	Shim   int
}

func (l launch) session(t *testing.T, acts ...string) *session {
	t.Helper()
	policy := filepath.Join(testbed.Folder(t), "policy.json")
	if err := os.WriteFile(policy, []byte(l.policy(t)), 0o644); err != nil {
		t.Fatal(err)
	}
	bare := l // the machine is put below the words
	bare.in, bare.lacks = confinement{}, nil
	cmd := bare.cmd(t)
	words := append([]string{testbed.Command(t, "mcp-sandbox-init"), "--policy", policy, "--report-fd", strconv.Itoa(host.ReportFD), "--",
		testbed.Self(t, "client"), clientIs}, acts...)
	words = append(l.Prefix, words...)
	cmd.Path, cmd.Args = words[0], words
	l.put(t, cmd)
	s := &session{T: t, launch: l, run: host.Talk(t, cmd)}
	s.out = json.NewDecoder(s.run.Said)
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
	if _, err := s.run.Stdin.Write([]byte("\n")); err != nil {
		s.Fatal(err)
	}
	s.good()
}

func (s *session) end() *ended {
	s.Helper()
	s.run.Stdin.Close()
	e := s.launch.over(s.T, s.run)
	if e.Code != 0 {
		s.Errorf("code %d\n%s", e.Code, &e.Stderr)
	}
	return e
}

// rss is the resident memory of the shim in bytes.
func (s *session) rss() int64 {
	s.Helper()
	n, ok := inStatus(s.T, s.Shim, "VmRSS")
	if !ok {
		s.Fatal("the shim has ended")
	}
	return n << 10
}

// inStatus is a number of proc_pid_status(5), of which a process that has ended has few.
func inStatus(t *testing.T, pid int, key string) (n int64, ok bool) {
	t.Helper()
	b, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); f[0] == key+":" {
			return must(t, f[1]), true
		}
	}
	return 0, false
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

// idle demands that the shim sleeps for a second, up to a few wake-ups of its own, once what there was to do is done.
func (s *session) idle(when string) {
	s.Helper()
	testbed.Await(s.T, when+": a second in which the shim sleeps", func() bool {
		before := s.used()
		testbed.Span(time.Second)
		return s.used()-before <= 50*time.Millisecond
	})
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
	most, over := before, false
	var r result
	for !over { // a result may take longer than a patience: its client has a bound of its own
		over = testbed.Comes(func() bool {
			if rss, ok := inStatus(s.T, s.Shim, "VmRSS"); ok { // behind its last act a client ends, and with it the shim
				most = max(most, rss<<10)
			}
			select {
			case r = <-done:
				return true
			default:
				return false
			}
		})
	}
	s.Logf("%s: the shim has %d KiB more than the %d KiB before", when, (most-before)>>10, before>>10)
	if most-before > 16<<20 {
		s.Errorf("%s: the shim has %d KiB more than the %d KiB before", when, (most-before)>>10, before>>10)
	}
	if r.Error != "" {
		s.Errorf("%s", r)
	}
	return r
}
