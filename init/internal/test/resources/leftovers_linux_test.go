package resources_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
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

// Whenever a launcher is killed, nothing of its launch is there after the next one: no process, no group, no mount
// and no file. Without namespaces there is more that could stay: processes, and a private folder on the host's disk.
func TestKilledLauncherLeavesNothing(t *testing.T)        { killed(t, "full") }
func TestKilledLauncherLeavesNothingReduced(t *testing.T) { killed(t, "reduced") }

func killed(t *testing.T, begin string) {
	const kills = 50
	beside(t, func(t *testing.T, at place) {
		at.tmp, at.begin = testbed.Folder(t), begin
		if err := os.Chmod(at.tmp, 0o777|os.ModeSticky); err != nil { // else no launcher trusts it
			t.Fatal(err)
		}
		keys := `"limits":{"memory":"64M"}`
		whole := takes(t, at)
		mark := fmt.Sprintf("1000.%d", os.Getpid())
		mounts := table(t)
		behind := 0
		adopt(t)
		n := 0
		for ; n < kills || at.group && behind == 0 && n < 3*kills; n++ {
			if n > kills { // a machine that has become slower since
				whole += whole / 10
			}
			run := start(t, at, keys, "/bin/sleep", mark)
			testbed.Moment(rand.IntN(150), 100, whole)
			run.Cmd.Process.Kill()
			run.Wait()
			if at.group {
				behind += min(1, len(groups(t, at.top)))
			}
		}
		if came, left := orphans(); len(left) > 0 || came == 0 {
			t.Errorf("%d processes came to this one, and live: %q", came, left)
		}
		next := start(t, at, keys, "/bin/true")
		if next.Ran(); next.Enforced.Confinement != begin {
			t.Errorf("%s\n%s", next.Enforced.Confinement, &next.Stderr)
		}
		for again := 0; again < 10 && at.group && len(groups(t, at.top)) > 0; again++ { // a launch waits but a moment for what it has killed
			start(t, at, keys, "/bin/true").Ran()
		}
		t.Logf("%d launches killed within %v, %d left groups behind", n, whole*3/2, behind)
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

// adopt makes this process the parent of all that killed launchers leave.
func adopt(t *testing.T) {
	t.Helper()
	if err := platform.SetChildSubreaper(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0) })
}

// orphans waits until none of them is left, and tells how many there were and which are.
func orphans() (came int, left []string) {
	if testbed.Comes(func() bool {
		for {
			pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			if pid <= 0 {
				return err == unix.ECHILD
			}
			came++
		}
	}) {
		return came, nil
	}
	for _, pid := range testbed.Children(os.Getpid()) {
		line, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		left = append(left, strconv.Itoa(pid)+" "+string(line))
	}
	return came, left
}

// takes is how long a launch takes from its start to its end: the first ones are slower.
func takes(t *testing.T, at place) time.Duration {
	t.Helper()
	least := time.Hour
	for range 3 {
		began := time.Now()
		start(t, at, `"limits":{"memory":"64M"}`, "/bin/true").Ran()
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
			testbed.Moment(rand.IntN(150), 100, whole)
			run.Cmd.Process.Signal(syscall.SIGTERM)
			run.Wait()
			if run.Code >= 0 || len(run.Lines) > 0 { // else it was too early for a handler
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
					run.Ran()
					if run.Code != 0 || at.group != (run.Layer(order.Cgroup).State == order.Proved) {
						t.Errorf("code %d, %+v", run.Code, run.Layer(order.Cgroup))
					}
					mu.Lock()
					seen[run.Fact(order.Cgroup, "group").Got] = true
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
		long.Stdin.Close()
		long.Ran()
		if long.Code != 0 {
			t.Errorf("code %d\n%s", long.Code, &long.Stderr)
		}
		long.left(at)
	})
}
