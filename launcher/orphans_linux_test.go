package launcher_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// subreaperHost is argument 0 of this test binary when it is a host that orphans are left to.
const subreaperHost = "launcher.test subreaper"

// A host that is process 1 or a subreaper finds no dead process of a sandbox among its children 4 s after the end, whatever
// ended the launch.
func TestNoZombies(t *testing.T) {
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAsSubreaper$", "-test.v")
	cmd.Args[0] = subreaperHost
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}

// TestAsSubreaper is that host.
func TestAsSubreaper(t *testing.T) {
	if os.Args[0] != subreaperHost {
		t.Skip("TestNoZombies starts this one")
	}
	if err := platform.AdoptOrphans(); err != nil {
		t.Fatal(err)
	}
	n, whole := rounds(t, 100), takes(t)
	var all sync.WaitGroup
	turns := make(chan struct{}, 4)
	for i := range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := policy.Policy{}
			if i%3 == 0 {
				p.MinConfinement = policy.ConfinementLimits
			}
			sb, err := launcher.Command(ctx, p, launcher.Target{Path: "/bin/sh", Args: []string{"-c", "sleep 1000"}, Dir: "/"})
			if err != nil {
				t.Error(err)
				return
			}
			sb.Cmd.Env = append(sb.Cmd.Env, testbed.NoWait)
			if err := sb.Cmd.Start(); err != nil {
				t.Error(err)
				return
			}
			time.Sleep(whole * time.Duration(i) / time.Duration(n))
			switch i % 4 {
			case 0:
				cancel()
			case 1:
				sb.Close()
			default:
				sb.Cmd.Process.Kill()
			}
			sb.Cmd.Wait() // and neither Report nor Wait: the launcher needs no asking
		})
	}
	all.Wait()
	time.Sleep(4 * time.Second)
	if err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil); !errors.Is(err, unix.ECHILD) {
		ps, _ := exec.Command("ps", "-o", "pid,ppid,stat,comm", "--ppid", strconv.Itoa(os.Getpid())).Output()
		t.Errorf("children are left (%v):\n%s", err, ps)
	}
}
