package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// sessionsEnv is another number of sessions than ten thousand, or a hundred with -short.
const sessionsEnv = "SERVE_SESSIONS"

const (
	longMore  = 2 << 20 // bytes that serve may have more than after a tenth of them
	longLeast = 1000    // sessions of which memory says something
)

// tellOfSelf writes what only this process knows, when it is asked to, and gives memory back.
func tellOfSelf() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	for range asked {
		for range 3 {
			debug.FreeOSMemory()
		}
		fmt.Fprintf(os.Stderr, `{"msg":"told","goroutines":%d}`+"\n", runtime.NumGoroutine())
	}
}

// left is what sessions could leave behind.
type left struct{ descriptors, goroutines, processes, mounts, files, resident int }

func (s *served) left() (l left) {
	s.Helper()
	told := s.count("told")
	s.cmd.Process.Signal(syscall.SIGUSR1)
	testbed.Await(s, "serve's word", func() bool { return s.count("told") > told })
	n, _ := s.field("told", "goroutines").(float64)
	proc := "/proc/" + strconv.Itoa(s.cmd.Process.Pid)
	descriptors, _ := filepath.Glob(proc + "/fd/*")
	mounts, _ := os.ReadFile(proc + "/mountinfo")
	filepath.WalkDir(s.home, func(string, fs.DirEntry, error) error { l.files++; return nil })
	return left{len(descriptors), int(n), len(s.processes()) + len(testbed.Children(s.cmd.Process.Pid)),
		strings.Count(string(mounts), "\n"), l.files, s.resident()}
}

// few reports whether there is no more than there was, but for a connection's part.
func (l left) few(was left) bool {
	const some = 2 // of connections that are not quite over
	return l.descriptors <= was.descriptors+some && l.goroutines <= was.goroutines+some && l.processes <= was.processes &&
		l.mounts <= was.mounts && l.files <= was.files
}

// Sessions come and go, by DELETE or as their server dies, and leave nothing, in each confinement.
func TestComeAndGo(t *testing.T) {
	n := 10_000
	if s := os.Getenv(sessionsEnv); s != "" {
		n, _ = strconv.Atoi(s)
	} else if testing.Short() {
		n = 100
	}
	for confinement, flags := range map[string][]string{"full": nil, "reduced": {noClone}} {
		t.Run(confinement, func(t *testing.T) {
			t.Parallel()
			s := launch(t, "legacy", append(flags, "--max-per-principal", "100")...)
			s.comeAndGo(n / 10)
			early := s.left()
			s.comeAndGo(n - n/10)
			var late left
			if !testbed.Comes(func() bool { late = s.left(); return late.few(early) }) {
				t.Errorf("after a tenth %+v, at the end %+v", early, late)
			}
			if more := late.resident - early.resident; n >= longLeast && more > longMore {
				t.Errorf("%d kB more", more>>10)
			}
			t.Logf("%d sessions: after a tenth %+v, at the end %+v", n, early, late)
		})
	}
}

// comeAndGo makes so many sessions, four at a time, and waits until nothing is left of them.
func (s *served) comeAndGo(n int) {
	s.Helper()
	var all sync.WaitGroup
	before := s.count("sandbox ended")
	for i := range 4 {
		all.Go(func() {
			for j := i; j < n; j += 4 {
				c := s.session()
				c.post(call("1", "echo", "", 0)).want(s, 200)
				if j%10 == 0 {
					c.post(call("2", "die", "", 0)).want(s, 200, "-32603")
				} else {
					c.send("DELETE", "").want(s, 204)
				}
				c.http.CloseIdleConnections()
			}
		})
	}
	all.Wait()
	s.awaitEnds(before + n)
}
