package noshim

import (
	"context"
	"fmt"
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

// asks is a server that asks for 40 names at once and ends, by IPv4 and IPv6 where there is any.
const asks = ask + `
for n in {100..119}; do ask 127.0.0.1 $n; done
for n in {120..139}; do ask ::1 $n || ask 127.0.0.1 $n; done
exit 3`

// The parent tells of every packet that the kernel refused, of the last ones too, whose server has ended.
func TestPacketsOfAServerThatEnds(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	for range 20 {
		sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/bash", Args: []string{"-c", asks},
			Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		_ = sb.Cmd.Run()
		x, err := sb.Wait(ctx)
		if err != nil || x.ExitCode != 3 {
			t.Fatal(x, err)
		}
		told := map[string]bool{}
		for _, d := range x.Denied {
			told[d.Host] = d.Kind == order.DeniedName
		}
		for n := 100; n < 140; n++ {
			if name := fmt.Sprintf("n%d.example", n); !told[name] {
				t.Fatalf("nothing tells of %s, but of %v", name, told)
			}
		}
	}
}

// floods is a server that asks for more names than a socket holds, once it reads a line, and ends.
const floods = ask + `
read line
for n in {1000..1399}; do ask 127.0.0.1 $n; ask ::1 $n; done
exit 3`

// However many packets the parent tells at the end, it hears with which status to end, also where it runs seldom.
func TestManyPacketsOfAServerThatEnds(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	for i := range 10 {
		sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/bash", Args: []string{"-c", floods},
			Dir: "/"})
		if err != nil {
			t.Fatal(err)
		}
		in, err := sb.Cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		start(t, sb)
		if _, err = sb.Report(ctx); err != nil {
			t.Fatal(err)
		}
		parent := sb.Cmd.Process.Pid
		init := testbed.Children(parent)[0]
		_ = unix.Kill(parent, unix.SIGSTOP)
		_, _ = in.Write([]byte("\n"))
		testbed.Await(t, "init's end", func() bool { return testbed.State(init) == "Z" })
		_ = unix.Kill(parent, unix.SIGCONT)
		_ = sb.Cmd.Wait()
		if code := sb.Cmd.ProcessState.ExitCode(); code != 3 {
			t.Fatalf("in round %d the parent ended with %d", i, code)
		}
	}
}

// A host hears of each while the server runs.
func TestPacketsOfAServerThatRuns(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	denied := make(chan launcher.Denial, 8)
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/bash", Dir: "/",
		Args:     []string{"-c", ask + "for n in 100 101 102; do ask 127.0.0.1 $n; read line; done; exit 3"},
		OnDenied: func(d launcher.Denial) { denied <- d }})
	if err != nil {
		t.Fatal(err)
	}
	in, err := sb.Cmd.StdinPipe()
	if err == nil {
		err = sb.Cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
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

// A parent that does not run while its server does tells of the packets all the same.
func TestPacketsOfAParentThatWaits(t *testing.T) {
	ordinary(t)
	ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
	defer cancel()
	for range 10 { // it may have taken the sockets before it is stopped
		waitingParent(t, ctx)
	}
}

func waitingParent(t *testing.T, ctx context.Context) {
	t.Helper()
	sb, err := launcher.Command(ctx, policy.Policy{}, launcher.Target{Path: "/bin/bash", Dir: "/",
		Args: []string{"-c", "read line\n" + asks}})
	if err != nil {
		t.Fatal(err)
	}
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	start(t, sb)
	parent := sb.Cmd.Process.Pid
	var init []int
	testbed.Await(t, "init", func() bool { init = testbed.Children(parent); return len(init) > 0 })
	testbed.Await(t, "a report of a stopped parent", func() bool { // the launch goes on once that has told of init
		_ = unix.Kill(parent, unix.SIGSTOP)
		soon, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		if _, err = sb.Report(soon); err != nil {
			_ = unix.Kill(parent, unix.SIGCONT)
		}
		return err == nil
	})
	_, _ = in.Write([]byte("\n"))
	testbed.Await(t, "init's end", func() bool { return testbed.State(init[0]) == "Z" })
	_ = unix.Kill(parent, unix.SIGCONT)
	x, err := sb.Wait(ctx)
	if err != nil || x.ExitCode != 3 || len(x.Denied) != 40 {
		t.Fatalf("%+v, %v", x, err)
	}
	_ = sb.Cmd.Wait()
}
