package resources_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// beside are the places in which one launcher can follow another: a delegated group itself is its launcher's, and has
// to be removed with it by whoever made it.
func beside(t *testing.T, test func(t *testing.T, at place)) {
	everywhere(t, func(t *testing.T, at place) {
		if at.dir == at.top && at.dir != "" {
			return
		}
		test(t, at)
	})
}

// Whenever a launcher is killed, nothing of its launch is there after the next one: no process, no group, no mount and no
// file.
func TestKilledLauncherLeavesNothing(t *testing.T) {
	const kills = 50
	beside(t, func(t *testing.T, at place) {
		at.tmp = testbed.Folder(t)
		keys := `"limits":{"memory":"64M"}`
		whole := takes(t, at)
		mark := fmt.Sprintf("1000.%d", os.Getpid())
		mounts := table(t)
		behind := 0
		for range kills {
			run := start(t, at, keys, "/bin/sleep", mark)
			time.Sleep(time.Duration(rand.Int64N(int64(whole * 3 / 2))))
			run.cmd.Process.Kill()
			run.cmd.Wait()
			<-run.report
			if at.group {
				behind += min(1, len(groups(t, at.top)))
			}
		}
		for until := time.Now().Add(5 * time.Second); len(running(mark)) > 0 && time.Now().Before(until); {
			time.Sleep(10 * time.Millisecond)
		}
		start(t, at, keys, "/bin/true").end()
		t.Logf("%d launches killed within %v, %d left groups behind", kills, whole*3/2, behind)
		if at.group && behind == 0 {
			t.Error("no group to sweep: the launchers were killed too early or too late")
		}
		if left := running(mark); len(left) > 0 {
			t.Errorf("processes: %v", left)
		}
		if at.group {
			if left := groups(t, at.top); len(left) > 0 {
				t.Errorf("groups: %v", left)
			}
		}
		if now := table(t); now != mounts {
			t.Errorf("%d mounts, and %d before", now, mounts)
		}
		if left := files(t, at.tmp); len(left) > 0 {
			t.Errorf("files: %v", left)
		}
	})
}

// takes is how long a launch takes from its start to its end: the first ones are slower.
func takes(t *testing.T, at place) time.Duration {
	t.Helper()
	least := time.Hour
	for range 3 {
		began := time.Now()
		start(t, at, `"limits":{"memory":"64M"}`, "/bin/true").end()
		least = min(least, time.Since(began))
	}
	return least
}

// A launcher that is told to end, before its server runs or after, removes what it made by itself.
func TestEndedLauncherLeavesNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, at place) {
		whole := takes(t, at)
		for range 20 {
			run := start(t, at, `"limits":{"memory":"64M"}`, "/bin/sleep", "100")
			time.Sleep(time.Duration(rand.Int64N(int64(whole * 3 / 2))))
			run.cmd.Process.Signal(syscall.SIGTERM)
			run.cmd.Wait()
			report := <-run.report
			if code := run.cmd.ProcessState.ExitCode(); code >= 0 || len(report) > 0 { // else it was too early for a handler
				run.left(at)
			}
		}
	})
}

func table(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Count(b, []byte("\n"))
}

// files are what is in a folder.
func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// running are the processes with a word in their command line.
func running(word string) (list []string) {
	found, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range found {
		b, err := os.ReadFile(file)
		if err == nil && bytes.Contains(b, []byte("sleep\x00"+word)) {
			list = append(list, file)
		}
	}
	return list
}

// Launches at the same time have a group each, and none takes another's away.
func TestLaunchesAtOnce(t *testing.T) {
	beside(t, func(t *testing.T, at place) {
		long := start(t, at, `"limits":{"memory":"64M"}`, "/bin/cat")
		var wg sync.WaitGroup
		var mu sync.Mutex
		seen := map[string]bool{}
		for range 4 {
			wg.Go(func() {
				for range 3 {
					run := start(t, at, `"limits":{"memory":"64M"}`, "/bin/true")
					run.end()
					if run.code != 0 || at.group != (run.layer(order.Cgroup).State == order.Proved) {
						t.Errorf("code %d, %+v", run.code, run.layer(order.Cgroup))
					}
					mu.Lock()
					seen[run.fact(order.Cgroup, "group").Got] = true
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		if at.group {
			if len(seen) != 12 {
				t.Errorf("%d groups", len(seen))
			}
			if still := groups(t, at.top); len(still) == 0 {
				t.Error("the group of the launch that goes on is gone")
			}
		}
		long.stdin.Close()
		long.end()
		if long.code != 0 {
			t.Errorf("code %d\n%s", long.code, &long.stderr)
		}
		long.left(at)
	})
}
