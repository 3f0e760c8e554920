package noshim

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// touched is the role of a host that looks at itself before and after each kind of launch, and meanwhile.
const touched = "noshim.test touched"

func touchedHost([]string) int {
	before, _ := json.Marshal(look())
	again, _ := json.Marshal(look())
	if string(before) != string(again) {
		fmt.Println("not even two looks are alike")
	}
	compare := func(when string) {
		after, _ := json.Marshal(look())
		at := 0
		for at < min(len(before), len(after)) && before[at] == after[at] {
			at++
		}
		if at < len(before) {
			fmt.Printf("%s: before ...%.200s\nafter  ...%.200s\n", when, before[max(0, at-80):], after[max(0, at-80):])
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	for _, path := range []string{"/bin/sh", "/missing/command"} {
		t := launcher.Target{Path: path, Args: []string{"-c", "read line; exit 7"}, Dir: "/"}
		p := policy.Policy{Network: policy.Network{AllowedDomains: []string{"a.example"}}}
		sb, err := launcher.Command(ctx, p, t)
		if err != nil {
			fmt.Println(err)
			continue
		}
		compare("prepared " + path)
		in, _ := sb.Cmd.StdinPipe()
		if err = sb.Cmd.Start(); err != nil {
			fmt.Println(err)
		}
		compare("started " + path)
		if _, err = sb.Report(ctx); err == nil && comm(sb.Cmd.Process.Pid) != order.ParentName {
			fmt.Println("a shim:", comm(sb.Cmd.Process.Pid))
		}
		if children := testbed.Children(os.Getpid()); len(children) > 1 {
			fmt.Println("children", children, "of which one is the parent")
		}
		compare("running " + path)
		in.Close()
		_ = sb.Cmd.Wait()
		_, _ = sb.Wait(ctx)
		compare("after " + path)
	}
	fmt.Println("done")
	return 0
}

// What a process has one of for all its threads is as before, at each step of a launch and after it.
func TestNothingOfTheHostIsTouched(t *testing.T) {
	ordinary(t)
	code, out, errs := testbed.Finish(t, testbed.As(touched))
	if code != 0 || out != "done\n" {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}

// broken is the role of a host that is told of SIGPIPE, and whose server's standard error has no reader.
const broken = "noshim.test broken"

func brokenHost([]string) int {
	told := make(chan os.Signal, 16)
	signal.Notify(told, unix.SIGPIPE)
	from, to, err := os.Pipe()
	if err != nil {
		return 1
	}
	from.Close()
	ctx, cancel := context.WithTimeout(context.Background(), testbed.Patience())
	defer cancel()
	for range 20 {
		const script = "unshare -U true 2>/dev/null; exit 3" // of which a line says that it is refused
		t := launcher.Target{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/"}
		sb, err := launcher.Command(ctx, policy.Policy{}, t)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		sb.Cmd.Stderr = to
		_ = sb.Cmd.Run()
		if x, err := sb.Wait(ctx); err != nil || x.ExitCode != 3 || len(x.Denied) == 0 {
			fmt.Printf("%+v %v\n", x, err)
		}
	}
	if len(told) > 0 {
		fmt.Println("a launch sent the host", <-told)
	}
	_, err = to.Write([]byte("by the host itself"))
	if !testbed.Comes(func() bool { return len(told) > 0 }) {
		fmt.Println("the control came to nothing:", err)
	}
	fmt.Println("done")
	return 0
}

// A line about a server whose standard error has no reader is no SIGPIPE for its host, which gets its own.
func TestNoSignalOfAPipeWithoutAReader(t *testing.T) {
	ordinary(t)
	code, out, errs := testbed.Finish(t, testbed.As(broken))
	if code != 0 || out != "done\n" {
		t.Errorf("code %d\n%s%s", code, out, errs)
	}
}
