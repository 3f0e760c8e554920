package launcher_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// refusedServer prepares a server that is refused a system call, a name and a port.
func refusedServer(t *testing.T, ctx context.Context, onDenied func(launcher.Denial)) *launcher.Sandbox {
	t.Helper()
	p := policy.Policy{Network: policy.Network{AllowedDomains: []string{"192.0.2.7"}}}
	sb, err := launcher.Command(ctx, p, launcher.Target{Path: "/bin/bash", Dir: "/", OnDenied: onDenied, Args: []string{"-c",
		"unshare -U true; unshare -U true; getent hosts foo.example; exec 3<>/dev/tcp/192.0.2.7/81; sleep 0.2; exit 4"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	return sb
}

// want are the acts of refusedServer with their flags.
func want() []launcher.Denial {
	return []launcher.Denial{
		{Act: order.Act{Kind: order.DeniedSyscall, Syscall: "unshare"}, Errno: "EPERM"},
		{Act: order.Act{Kind: order.DeniedName, Host: "foo.example"}, Flag: "--allow-domain foo.example"},
		{Act: order.Act{Kind: order.DeniedPort, Host: "192.0.2.7", Port: 81}, Flag: "--allow-domain 192.0.2.7:81"},
	}
}

// check compares denials with what refusedServer is refused, whatever the counts.
func check(t *testing.T, got []launcher.Denial) {
	t.Helper()
	for _, w := range want() {
		if !slices.ContainsFunc(got, func(d launcher.Denial) bool { w.Count = d.Count; return d == w }) {
			t.Errorf("%+v is missing in %+v", w, got)
		}
	}
	if i := slices.IndexFunc(got, func(d launcher.Denial) bool { return d.Count < 1 }); i >= 0 {
		t.Errorf("%+v", got[i])
	}
}

// confined skips a test where this machine has no network namespaces to offer.
func confined(t *testing.T, sb *launcher.Sandbox) {
	t.Helper()
	r, err := sb.Report(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if r.Confinement != "full" {
		t.Skip("confinement " + r.Confinement)
	}
}

// A host hears of refusals while its server runs, and the counts at the end.
func TestDenied(t *testing.T) {
	calls := make(chan launcher.Denial, 300)
	unguarded := 0 // the race detector finds a second goroutine
	sb := refusedServer(t, within(t), func(d launcher.Denial) { unguarded++; calls <- d })
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	confined(t, sb)
	sb.Cmd.Wait()
	result, err := sb.Wait(within(t))
	if err != nil || result.ExitCode != 4 {
		t.Fatal(result, err)
	}
	check(t, result.Denied)
	var heard []launcher.Denial
	for len(heard) < len(want()) {
		d := testbed.Receive(t, fmt.Sprintf("more than %+v", heard), calls)
		if !slices.ContainsFunc(heard, func(h launcher.Denial) bool { return h == d }) {
			heard = append(heard, d)
		}
	}
	check(t, heard)
}

// Without a function the counts are the same, and nothing else is sent.
func TestDeniedWithoutFunction(t *testing.T) {
	sb := refusedServer(t, within(t), nil)
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	confined(t, sb)
	sb.Cmd.Wait()
	result, err := sb.Wait(within(t))
	if err != nil {
		t.Fatal(err)
	}
	check(t, result.Denied)
}

// A function that does not return keeps neither the server nor Wait from ending, and gets all calls in the end.
func TestSlowOnDenied(t *testing.T) {
	held, calls := make(chan struct{}), make(chan launcher.Denial, 300)
	sb := refusedServer(t, within(t), func(d launcher.Denial) { <-held; calls <- d })
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	confined(t, sb)
	sb.Cmd.Wait()
	result, err := sb.Wait(within(t))
	if err != nil || len(calls) != 0 {
		t.Fatal(result, err, len(calls))
	}
	close(held)
	var kinds []string
	for len(kinds) < len(want()) {
		d := testbed.Receive(t, fmt.Sprintf("more than %v", kinds), calls)
		if !slices.Contains(kinds, string(d.Kind)) {
			kinds = append(kinds, string(d.Kind))
		}
	}
}
