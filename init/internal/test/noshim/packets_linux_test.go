package noshim

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// ask is a function that asks for a name.
const ask = `ask() { printf "\x12\x34\x01\0\0\1\0\0\0\0\0\0\x04n$2\x07example\0\0\1\0\1" >/dev/udp/$1/53; } 2>&-
`

// asking starts a server that has the function.
func asking(t *testing.T, ctx context.Context, script string, onDenied func(launcher.Denial)) (*launcher.Sandbox,
	io.Writer) {
	t.Helper()
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/bash", Dir: "/",
		Args: []string{"-c", ask + script}, OnDenied: onDenied})
	if err != nil {
		t.Fatal(err)
	}
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, sb)
	return sb, in
}

// A host hears of each packet that the kernel refused while the server runs.
func TestPacketsOfAServerThatRuns(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	denied := make(chan launcher.Denial, 8)
	sb, in := asking(t, ctx, "for n in 100 101 102; do ask 127.0.0.1 $n; read line; done; exit 3",
		func(d launcher.Denial) { denied <- d })
	for _, name := range []string{"n100.example", "n101.example", "n102.example"} {
		if d := testbed.Receive(t, "word of "+name, denied); d.Host != name {
			t.Errorf("%+v, want %s", d, name)
		}
		_, _ = in.Write([]byte("\n"))
	}
	if x, err := sb.Wait(ctx); err != nil || x.ExitCode != 3 {
		t.Error(x, err)
	}
}

// The parent tells of the last packets too, whose server has ended, also where it has not run since the release, and of
// more than a socket holds. It hears with which status to end.
func TestPacketsOfAServerThatEnds(t *testing.T) {
	ordinary(t)
	for _, c := range []struct {
		name    string
		stopped bool // the parent, while the server runs
		asks    string
		told    int // names, from n100 on
	}{
		{"parent runs", false, "for n in {100..139}; do ask 127.0.0.1 $n; done", 40},
		{"parent stopped", true, "for n in {100..119}; do ask 127.0.0.1 $n; done\n" +
			"for n in {120..139}; do ask ::1 $n || ask 127.0.0.1 $n; done", 40},
		{"flood, parent stopped", true, "for n in {100..499}; do ask 127.0.0.1 $n; ask ::1 $n; done", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			for range 10 { // a parent may have taken the sockets before it is stopped
				ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
				defer cancel()
				sb, in := asking(t, ctx, "read line\n"+c.asks+"\nexit 3", nil)
				goOn := func() {}
				if c.stopped {
					goOn = stopParent(t, ctx, sb)
				}
				_, _ = in.Write([]byte("\n"))
				goOn()
				_ = sb.Cmd.Wait()
				x, err := sb.Wait(ctx)
				if code := sb.Cmd.ProcessState.ExitCode(); err != nil || x.ExitCode != 3 || code != 3 {
					t.Fatalf("%+v, %v, the parent ended with %d", x, err, code)
				}
				told := map[string]bool{}
				for _, d := range x.Denied {
					told[d.Host] = d.Kind == order.DeniedName
				}
				for n := 100; n < 100+c.told; n++ {
					if name := fmt.Sprintf("n%d.example", n); !told[name] {
						t.Fatalf("nothing tells of %s, but of %v", name, told)
					}
				}
			}
		})
	}
}

// A server that sends without end takes no more of its host's time than a few packets do.
func TestPacketsWithoutEnd(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	began := time.Now()
	sb, _ := asking(t, ctx, "for n in {1..10000}; do ask 127.0.0.1 100; done; exit 3", nil)
	x, err := sb.Wait(ctx)
	most := 2000 + int(500*time.Since(began).Seconds()) // and those that are read at the end
	if err != nil || x.ExitCode != 3 || len(x.Denied) != 1 || x.Denied[0].Count < 100 || x.Denied[0].Count > int64(most) {
		t.Errorf("%+v, %v, at most %d", x, err, most)
	}
	_ = sb.Cmd.Wait()
}

// stopParent stops a parent once it has told of init, before the server is released if that can be. It goes on when
// init has ended.
func stopParent(t *testing.T, ctx context.Context, sb *launcher.Sandbox) (goOn func()) {
	t.Helper()
	parent := sb.Cmd.Process.Pid
	var init []int
	testbed.Await(t, "init", func() bool { init = testbed.Children(parent); return len(init) > 0 })
	testbed.Await(t, "a report of a stopped parent", func() bool {
		_ = unix.Kill(parent, unix.SIGSTOP)
		soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		_, err := sb.Report(soon)
		if err != nil {
			_ = unix.Kill(parent, unix.SIGCONT)
		}
		return err == nil
	})
	return func() {
		testbed.Await(t, "init's end", func() bool { return testbed.State(init[0]) == "Z" })
		_ = unix.Kill(parent, unix.SIGCONT)
	}
}
