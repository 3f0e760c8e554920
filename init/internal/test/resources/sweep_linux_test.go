package resources_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// A group is swept if its name is one of the launcher's and nobody holds its lock, with all that runs in it; anybody
// else's is not, whatever it is called.
func TestSweep(t *testing.T) {
	beside(t, func(t *testing.T, at place) {
		if !at.group {
			return
		}
		make := func(name string, lock bool) (dir string, run *exec.Cmd) {
			dir = filepath.Join(at.top, name)
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if at.uid != 0 {
				give(t, dir)
			}
			f, err := os.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			run = exec.Command("/bin/sleep", "100")
			run.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
			if at.uid != 0 {
				run.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(at.uid), Gid: uint32(at.uid)}
			}
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			if lock {
				if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { f.Close() })
			} else {
				f.Close()
			}
			t.Cleanup(func() {
				run.Process.Kill()
				run.Wait()
				os.Remove(dir)
			})
			return dir, run
		}
		dead, inDead := make("mcp-sandbox-aaaaaaaaaa", false)
		kept := map[string]*exec.Cmd{}
		for name, lock := range map[string]bool{"mcp-sandbox-bbbbbbbbbb": true, "mcp-sandbox-mine.scope": false, "mcp-sandbox-cccccccccc.service": false, "other": false} {
			dir, run := make(name, lock)
			kept[dir] = run
		}
		for range 10 { // a launch waits but a moment for what it has killed
			start(t, at, `"limits":{"memory":"64M"}`, "/bin/true").Ran()
			if _, err := os.Stat(dead); err != nil {
				break
			}
		}
		if _, err := os.Stat(dead); !os.IsNotExist(err) {
			t.Errorf("%s: %v", dead, err)
		}
		if inDead.Wait(); inDead.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Errorf("in the dead launcher's group: %v", inDead.ProcessState)
		}
		for dir, run := range kept {
			if _, err := os.Stat(dir); err != nil {
				t.Error(err)
			}
			if !testbed.Spared(t, run.Process.Pid) {
				t.Errorf("%s: its process ended", dir)
			}
		}
	})
}

// A group above that has less than the server may use: the server is killed, and it is told whose memory that was.
func TestGroupAboveHasLess(t *testing.T) {
	for _, at := range delegated(t) {
		t.Run(at.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(at.top, "memory.max"), []byte("33554432"), 0); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at.top, "memory.swap.max"), []byte("0"), 0); err != nil {
				t.Fatal(err)
			}
			run := explode(t, at, `"limits":{"memory":"64M"}`, "memory", "256")
			said := run.Stderr.String()
			if run.Exited.Cause != order.CauseOOM || strings.Contains(said, "64M reached") || !strings.Contains(said, "above the server's, was used up") {
				t.Errorf("%+v\n%s", run.Exited, said)
			}
		})
	}
}

// Where the server's group is made further out than the launcher's own, it gets no more than that has.
func TestOwnGroupHasLess(t *testing.T) {
	const less = 32 << 20
	for _, at := range delegated(t) {
		if at.dir == at.top {
			continue
		}
		t.Run(at.name, func(t *testing.T) {
			for file, value := range map[string]string{"memory.max": strconv.Itoa(less), "pids.max": "1000", "cpu.max": "70000 100000"} {
				if err := os.WriteFile(filepath.Join(at.dir, file), []byte(value), 0); err != nil {
					t.Fatal(err)
				}
			}
			host := exec.Command("/bin/sleep", "100") // the launcher is not alone there
			f, err := os.Open(at.dir)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			host.SysProcAttr = &syscall.SysProcAttr{UseCgroupFD: true, CgroupFD: int(f.Fd())}
			if err := host.Start(); err != nil {
				t.Fatal(err)
			}
			defer host.Wait()
			defer host.Process.Kill()
			run := start(t, at, `"limits":{"memory":"64M","pids":40,"cpu":"1"}`, "/bin/true")
			run.Ran()
			for file, value := range map[string]string{"memory.max": strconv.Itoa(less), "pids.max": "40", "cpu.max": "70000 100000"} {
				if got := run.Fact(order.Cgroup, file); got.Got != value || (got.Name == file) != (file == "pids.max") {
					t.Errorf("%s: %+v", file, got)
				}
			}
			if run.Exited.MemoryLimit != less {
				t.Errorf("%+v", run.Exited)
			}
		})
	}
}
