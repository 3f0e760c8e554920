package launcher_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// stressEnv is how many launches TestStress makes; a short run's number where it is not set.
const stressEnv = "MCP_SANDBOX_STRESS"

// ballast keeps the garbage of the stress from being optimised away.
var ballast atomic.Pointer[[]byte]

// Launches from several goroutines of one host that collects garbage all the time: each server ends as it was told.
func TestStress(t *testing.T) {
	n := 200
	if testing.Short() {
		n = 50
	}
	if s := os.Getenv(stressEnv); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil || n < 1 {
			t.Fatalf("%s=%s: %v", stressEnv, s, err)
		}
	}
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	stop := make(chan struct{})
	var load, work sync.WaitGroup
	load.Go(func() {
		for size := 1; ; size = size%(1<<16) + 1021 {
			select {
			case <-stop:
				return
			default:
				b := make([]byte, size)
				ballast.Store(&b)
			}
		}
	})
	next := new(atomic.Int64)
	for range 4 {
		work.Go(func() {
			for i := int(next.Add(1)); i <= n; i = int(next.Add(1)) {
				stress(t, i)
			}
		})
	}
	work.Wait()
	close(stop)
	load.Wait()
}

// stress is one launch with an end of its own.
func stress(t *testing.T, i int) {
	script, want := "exit "+strconv.Itoa(i%120), i%120
	target := launcher.Target{Path: "/bin/sh", Dir: "/"}
	switch i % 10 {
	case 3:
		signal := []int{10, 12, 9, 15}[i/10%4] // SIGINT is ignored in the background of a shell
		script, want = "kill -"+strconv.Itoa(signal)+" $$; sleep 5", 128+signal
	case 7:
		target.Path, want = filepath.Join(testbed.Scratch(t), "missing"), 127
	}
	target.Args = []string{"-c", script}
	sb, err := launcher.Command(t.Context(), policy.Policy{}, target)
	if err != nil {
		t.Error(err)
		return
	}
	defer sb.Close()
	sb.Cmd.Env = append(sb.Cmd.Env, "GOGC=1")
	err = sb.Cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || sb.Cmd.ProcessState.ExitCode() != want {
		t.Errorf("launch %d: %v, want status %d", i, err, want)
	}
	r, err := sb.Wait(t.Context())
	if refused := (*launcher.Error)(nil); want == 127 {
		if !errors.As(err, &refused) {
			t.Errorf("launch %d: %+v, %v", i, r, err)
		}
	} else if err != nil || r.ExitCode != want {
		t.Errorf("launch %d: %+v, %v, want status %d", i, r, err, want)
	}
}
