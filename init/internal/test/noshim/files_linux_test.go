package noshim

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// mostDescriptors is what a sandbox of a running server may cost its host.
const mostDescriptors = 4 // one is a copy of standard input

// A server without domains costs its host few descriptors, no thread, and goroutines that all are gone with it.
func TestDescriptorsOfASandbox(t *testing.T) {
	ordinary(t)
	const n = 10
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	first, in := running(t, ctx)
	hosted(t, first)
	in.Close()
	_ = first.Cmd.Wait()
	before, threads := count(), pprof.Lookup("threadcreate").Count()
	var ins []*os.File
	var all []*launcher.Sandbox
	for range n {
		sb, in := running(t, ctx)
		hosted(t, sb)
		all, ins = append(all, sb), append(ins, in)
	}
	const own = 1 + 1 // the end of the pipe that the test has, and os/exec's pidfd of the process
	more, total := map[string]int{}, 0
	testbed.Comes(func() bool { // /dev/null as standard error goes behind the report
		clear(more)
		total = 0
		for what, held := range count().files {
			if held -= before.files[what]; held != 0 {
				more[what] = held
				total += held
			}
		}
		return total <= n*(mostDescriptors+own)
	})
	t.Logf("%d sandboxes, with %d of the test's own: %v", n, n*own, more)
	if total > n*(mostDescriptors+own) {
		t.Errorf("%d sandboxes hold %d descriptors, want %d each at most", n, total-n*own, mostDescriptors)
	}
	if more := pprof.Lookup("threadcreate").Count() - threads; more >= n/2 { // Go's own, that wait in no call of a sandbox
		t.Errorf("%d sandboxes have %d threads more", n, more)
	}
	for i, sb := range all {
		ins[i].Close()
		_ = sb.Cmd.Wait()
	}
	testbed.Await(t, "as few descriptors and goroutines as before", func() bool { return !count().more(before) })
}

// limited is the role of a host that may not open many files.
const limited = "noshim.test limited"

// limitedHost launches with room for one descriptor more each time, and prints what came of it.
func limitedHost([]string) int {
	try := func(room int) (code int, err error) {
		if room >= 0 {
			defer limit(1024)
			limit(top() + room)
		}
		return tryOnce()
	}
	if code, err := try(-1); err != nil || code != 3 { // and what is made once
		fmt.Println("without a limit:", code, err)
		return 1
	}
	before := count()
	for room, ran := 0, 0; ran < 4 && room < 500; room++ { // how many it takes depends on what lies in /etc
		var code int
		var err error
		testbed.Comes(func() bool { // of all this user's processes no more may be in flight than this one may have open
			code, err = try(room)
			return !errors.Is(err, unix.ETOOMANYREFS)
		})
		if fmt.Println(room, code, errors.Is(err, unix.EMFILE), err); code == 3 {
			ran++
		}
		var after holdings
		if !testbed.Comes(func() bool { after = count(); return !after.more(before) }) {
			fmt.Printf("left with room for %d: before %+v after %+v\n", room, before, after)
			before = after
		}
	}
	return 0
}

// tryOnce is one launch. Its error is that of what failed first.
func tryOnce() (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	t := launcher.Target{Path: "/bin/sh", Args: []string{"-c", "exit 3"}, Dir: "/", Env: []string{}}
	sb, err := launcher.Command(ctx, policy.Policy{}, t)
	if err != nil {
		return -1, err
	}
	defer sb.Close()
	if err = sb.Cmd.Start(); err != nil {
		return -2, err
	}
	err = sb.Cmd.Wait()
	if _, failed := sb.Wait(ctx); failed != nil {
		return -3, failed
	}
	if errors.As(err, new(*exec.ExitError)) {
		err = nil
	}
	return sb.Cmd.ProcessState.ExitCode(), err
}

func limit(n int) {
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: uint64(n), Max: 4096}); err != nil {
		panic(err)
	}
}

// top is how many descriptors there are up to the first that is free and has none behind it.
func top() int {
	n := 0
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		var fd int
		if fmt.Sscan(e.Name(), &fd); fd < 100 { // but that which the list was read from
			n = max(n, fd)
		}
	}
	return n
}

// A host that may open no more files, whatever it just wanted to open, is told so, and has no more than before.
func TestNoMoreFilesAtAnyDescriptor(t *testing.T) {
	ordinary(t)
	cmd := testbed.As(limited)
	cmd.Env = append(os.Environ(), "MCP_SANDBOX_PATIENCE=5s")
	code, out, errs := testbed.Finish(t, cmd)
	refused, ran := 0, 0
	for line := range strings.Lines(out) {
		var room, code int
		var full bool
		if n, _ := fmt.Sscan(line, &room, &code, &full); n != 3 {
			t.Error(line)
		}
		switch {
		case code == 3:
			ran++
		case full || strings.Contains(line, "too many open files") || strings.Contains(line, "EMFILE"):
			refused++
		default:
			t.Errorf("with room for %d: %s", room, line)
		}
	}
	if code != 0 || refused == 0 || ran != 4 {
		t.Errorf("code %d, %d refused, %d ran\n%s%s", code, refused, ran, out, errs)
	}
}

// crowd is the role of a host with many servers and a limit of open files, 1,024 on most machines.
const crowd = "noshim.test crowd"

// crowdHost starts, with the limit of the first word, as many as the second says, at once. They wait for their standard
// input, which is a pipe, or with a third word /dev/null for a signal.
func crowdHost(words []string) int {
	most, _ := strconv.Atoi(words[0])
	limit(most)
	n, _ := strconv.Atoi(words[1])
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	from, to, err := os.Pipe()
	if err != nil {
		return 1
	}
	script, ends := "read line; exit 7", 7
	if len(words) > 2 { // the same whether the signal comes before the sleep or in it, and not what the end of ctx sends
		script, ends = "exec sleep 1000", 128+int(unix.SIGUSR1)
	}
	var ready, all sync.WaitGroup
	ready.Add(n)
	over := make(chan struct{})
	for i := range n {
		all.Go(func() {
			t := launcher.Target{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/", Env: []string{}}
			sb, err := launcher.Command(ctx, policy.Policy{}, t)
			if err == nil {
				if len(words) == 2 {
					sb.Cmd.Stdin = from
				}
				err = sb.Cmd.Start()
			}
			if err == nil {
				_, err = sb.Report(ctx)
			}
			if err != nil || comm(sb.Cmd.Process.Pid) != order.ParentName {
				fmt.Println(i, err)
			}
			ready.Done()
			<-over
			if err == nil && len(words) > 2 {
				err = sb.Cmd.Process.Signal(unix.SIGUSR1)
			}
			if err == nil {
				_ = sb.Cmd.Wait()
			}
			if code := sb.Cmd.ProcessState.ExitCode(); code != ends {
				fmt.Println(i, code, err)
			}
		})
	}
	ready.Wait()
	h := count()
	to.Close()
	close(over)
	all.Wait()
	fmt.Println("together", h)
	return 0
}

// As many servers at once as go into the files that a process may open on most machines.
func TestManyWithFewFiles(t *testing.T) {
	ordinary(t)
	all := [][]string{{"1024", "150"}, {"1024", "200", "null"}}
	if testing.Short() { // a user may have 200 keys, and tests beside this one want theirs (/proc/key-users)
		all = [][]string{{"512", "75"}, {"512", "100", "null"}}
	}
	for _, words := range all {
		code, out, errs := testbed.Finish(t, testbed.As(crowd, words...))
		if n := strings.Count(out, "\n") - 1; code != 0 || n != 0 {
			t.Errorf("%v: code %d, %d failed, the last so:\n%s%s", words, code, n, out[max(0, len(out)-600):], errs)
		}
	}
}
