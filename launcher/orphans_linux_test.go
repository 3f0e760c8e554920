package launcher_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hostEnv says what the host of a test is that orphans are left to.
const hostEnv = "MCP_SANDBOX_TEST_HOST"

// A host that is process 1 or a subreaper finds no dead process of a sandbox among its children 4 s after the end, whatever
// ended the launch.
func TestNoZombies(t *testing.T) {
	for _, host := range []string{"subreaper", "process 1"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestAsHostOfOrphans$", "-test.v")
			cmd.Env = append(os.Environ(), hostEnv+"="+host)
			if host != "subreaper" {
				cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNS,
					UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
					GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}}}
			}
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// TestAsHostOfOrphans is that host.
func TestAsHostOfOrphans(t *testing.T) {
	var err error
	switch os.Getenv(hostEnv) {
	case "":
		t.Skip("TestNoZombies starts this one")
	case "subreaper":
		err = platform.SetChildSubreaper()
	default:
		if err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err == nil {
			err = unix.Mount("proc", "/proc", "proc", 0, "")
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	n, whole := rounds(t, 100), takes(t)
	if os.Getpid() == 1 {
		n = rounds(t, 30)
	}
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
				p.Level = policy.Privileged // its init has no namespace, and another end
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
			testbed.Moment(i, n, whole)
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
	if !testbed.Comes(func() bool { // on a machine that is not busy: 4 s
		err = unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
		return errors.Is(err, unix.ECHILD)
	}) {
		ps, _ := exec.Command("ps", "-o", "pid,ppid,stat,comm", "--ppid", strconv.Itoa(os.Getpid())).Output()
		t.Fatalf("children are left (%v):\n%s", err, ps)
	}
}
