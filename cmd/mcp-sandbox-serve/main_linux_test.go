package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/serve/session"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// TestMain is the program, a server for it, or the tests. The times that are no flags are short here.
func TestMain(m *testing.M) {
	reexec.Init()
	testbed.Roles{"serve": serveShort, "stub": stub}.Play()
	os.Exit(testbed.Run(m))
}

func serveShort(words []string) int {
	limits := session.Usual()
	limits.Slow, limits.Cancelled = time.Second, 300*time.Millisecond
	limits.Discover, limits.Sweep, limits.DrainDelay = testbed.Patience(), 50*time.Millisecond, 100*time.Millisecond
	if slices.Contains(words, "silent") { // which is what serve has to find out
		limits.Discover = time.Second
	}
	if slices.Contains(words, "brief") {
		limits.Last = 0
	}
	if os.Getenv(patientEnv) != "" {
		limits.Alone = testbed.Patience()
	}
	go tellOfSelf()
	return run(words, limits)
}

// A served is a running mcp-sandbox-serve.
type served struct {
	testing.TB
	cmd    *exec.Cmd
	url    string // of /mcp
	marker string // among the words of each process of its servers
	home   string // where it may write
	ended  chan struct{}

	mu  sync.Mutex
	log bytes.Buffer
}

// words are the command of a stub with these words.
func words(t testing.TB, marker string, mode ...string) []string {
	return append([]string{testbed.Self(t, "stub"), "stub", marker}, mode...)
}

// launch starts serve with flags, in front of the stub in a mode, and waits until it listens.
func launch(t testing.TB, mode string, flags ...string) *served {
	t.Helper()
	s := begin(t, mode, flags...)
	testbed.Await(t, "the address in the log", func() bool {
		if !isOpen(s.ended) {
			t.Fatalf("serve ended: %s", s.said())
		}
		s.url, _ = s.field("listening", "url").(string)
		return s.url != ""
	})
	return s
}

// patient is no flag: answers come alone, however late.
const patient, patientEnv = "for answers alone", "SERVE_TEST_PATIENT"

// noClone is no flag: serve runs where no user namespace can be made, and confinement is reduced.
const noClone = "on a machine without user namespaces"

func begin(t testing.TB, mode string, flags ...string) *served {
	t.Helper()
	s := &served{TB: t, marker: "of-" + strconv.Itoa(os.Getpid()) + strings.ReplaceAll(t.TempDir(), "/", "-"),
		ended: make(chan struct{})}
	if !slices.Contains(flags, "--listen") {
		flags = append([]string{"--listen", "127.0.0.1:0"}, flags...)
	}
	var lacks []testbed.Lack
	if i := slices.Index(flags, noClone); i >= 0 {
		flags, lacks = slices.Delete(slices.Clone(flags), i, i+1), []testbed.Lack{testbed.NoClone}
	}
	var env []string
	if i := slices.Index(flags, patient); i >= 0 {
		flags, env = slices.Delete(slices.Clone(flags), i, i+1), []string{patientEnv + "=1"}
	}
	command := words(t, s.marker, mode)
	if i := slices.Index(flags, "--"); i >= 0 {
		flags, command = slices.Clip(flags[:i]), flags[i+1:]
	}
	s.cmd = testbed.As("serve", append(append(flags, "--log", "json", "--"), command...)...)
	s.home = testbed.Folder(t)
	if err := os.Chmod(s.home, 0o755); err != nil { // else no state is kept in it
		t.Fatal(err)
	}
	s.cmd.Env = append(env, "HOME="+s.home, "TMPDIR="+s.home, "PATH=/usr/bin:/bin", "SECRET_OF_SERVE=not for servers",
		"FORWARDED_KEY=sesame-close-1", testbed.NoWait)
	if lacks != nil {
		testbed.Machine{Lacks: lacks}.Put(t, s.cmd)
	}
	from, err := s.cmd.StderrPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(s.ended)
		for lines := bufio.NewScanner(from); lines.Scan(); {
			s.mu.Lock()
			s.log.WriteString(lines.Text() + "\n")
			s.mu.Unlock()
		}
		s.cmd.Wait()
	}()
	t.Cleanup(func() {
		s.cmd.Process.Kill()
		<-s.ended
		s.gone()
		if _, race, found := strings.Cut(s.said(), "WARNING: DATA RACE"); found {
			t.Error(race)
		}
	})
	return s
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

func (s *served) said() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// field is a member of the last line of the log with this message; nil for none.
func (s *served) field(message, name string) (value any) {
	for line := range strings.Lines(s.said()) {
		var all map[string]any
		if json.Unmarshal([]byte(line), &all) == nil && all["msg"] == message {
			value = all[name]
		}
	}
	return value
}

// count is how many lines of the log have a message, without those of the trial.
func (s *served) count(message string) (n int) {
	for line := range strings.Lines(s.said()) {
		trial := strings.Contains(line, `"principal":""`) || strings.Contains(line, `"cause":"probed"`)
		if strings.Contains(line, `"msg":"`+message+`"`) && !trial {
			n++
		}
	}
	return n
}

// started demands that so many sandboxes were started. The log is read beside the answers.
func (s *served) started(n int) {
	s.Helper()
	testbed.Await(s, "the start of a sandbox", func() bool { return s.count("sandbox started") >= n })
	if got := s.count("sandbox started"); got != n {
		s.Errorf("%d sandboxes, want %d: %s", got, n, s.said())
	}
}

// startedFor waits for a sandbox of a principal.
func (s *served) startedFor(who string) {
	s.Helper()
	testbed.Await(s, "a sandbox of "+who, func() bool { return s.field("sandbox started", "principal") == who })
}

// awaitEnds waits until so many sandboxes have ended, and returns the last cause.
func (s *served) awaitEnds(n int) string {
	s.Helper()
	testbed.Await(s, "the end of a sandbox", func() bool { return s.count("sandbox ended") >= n })
	cause, _ := s.field("sandbox ended", "cause").(string)
	return cause
}

// stop sends SIGTERM and waits for the end.
func (s *served) stop() int {
	s.Helper()
	s.cmd.Process.Signal(syscall.SIGTERM)
	testbed.Receive(s, "serve's end", s.ended)
	s.gone()
	return s.cmd.ProcessState.ExitCode()
}

// processes are the servers' processes, with everything that they started.
func (s *served) processes() (pids []string) {
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		words := strings.Split(string(text), "\x00")
		if slices.Contains(words, s.marker) && words[0] != "serve" {
			pids = append(pids, filepath.Base(filepath.Dir(path)))
		}
	}
	return pids
}

// gone waits until none is left.
func (s *served) gone() {
	s.Helper()
	testbed.Await(s, "the end of all processes", func() bool { return len(s.processes()) == 0 })
}

// resident is how much memory serve has, in bytes.
func (s *served) resident() (bytes int) {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/statm")
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		bytes, _ = strconv.Atoi(fields[1])
	}
	return bytes * os.Getpagesize()
}
