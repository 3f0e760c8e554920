package asked_test

import (
	"encoding/json"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// Below reduced a host is open exactly where the server gets a socket of the network.
func TestHostsBelowReduced(t *testing.T) {
	request, err := json.Marshal([]attempt{{"socket", unix.SYS_SOCKET, [6]uintptr{unix.AF_INET, unix.SOCK_STREAM}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ begin, level, socket string }{
		{"limits", "standard", "EAFNOSUPPORT"},
		{"limits", "network", "0"},
		{"none", "standard", "0"},
	} {
		l := host.Launch{Policy: `{"version":1,"level":"` + c.level + `","minConfinement":"` + c.begin + `"}`, Begin: c.begin,
			Command: []string{testbed.Self(t, "server"), serverIs, string(request)}, Env: host.Env(t)}
		o, err := l.Build()
		if err != nil {
			t.Fatal(err)
		}
		a, err := ask.Why(o, order.Question{Host: "203.0.113.9", Port: 443})
		if err != nil || (a.Allowed == order.ActAllowed) != (c.socket == "0") {
			t.Errorf("%+v: %+v, %v", c, a, err)
		}
		run := host.Finish(t, l.Cmd(t))
		var got []string
		if err := json.Unmarshal(run.Stdout.Bytes(), &got); err != nil || len(got) != 1 || got[0] != c.socket {
			t.Errorf("%+v: %q, code %d, %v\n%s", c, got, run.Code, err, &run.Stderr)
		}
	}
}
