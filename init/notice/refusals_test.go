package notice

import (
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// Each kind of refusal has its name and its reason.
func TestReason(t *testing.T) {
	for _, c := range []struct {
		kind          order.DeniedKind
		act           order.Act
		flag, errno   string
		named, reason string
	}{
		{kind: order.DeniedSyscall, act: order.Act{Syscall: "bpf"}, named: "bpf", reason: "the filter refuses this system call"},
		{kind: order.DeniedSyscall, act: order.Act{Syscall: "clone"}, flag: "--subprocess", named: "clone", reason: "it may start no other program"},
		{kind: order.DeniedName, act: order.Act{Host: "a.example"}, named: "a.example", reason: "denied by network.deniedDomains"},
		{kind: order.DeniedPort, act: order.Act{Host: "a.example", Port: 8080}, named: "a.example:8080", reason: "no entry opens this port"},
		{kind: order.DeniedName, act: order.Act{Host: "a.example", Asked: "localhost"}, named: "a.example", reason: "this machine by its hosts file: the server has to ask for localhost"},
		{kind: order.DeniedName, act: order.Act{Host: "a", Asked: "a.example"}, named: "a", reason: "search lists are not used: the server has to ask for a.example"},
		{kind: order.DeniedAddress, act: order.Act{Address: "203.0.113.11", Port: 80}, named: "203.0.113.11:80", reason: "an address that no allowed name has"},
		{kind: order.DeniedPrivate, act: order.Act{Host: "a.example"}, flag: "--allow-private", named: "a.example", reason: "resolves to a private address"},
		{kind: order.DeniedPrivate, act: order.Act{Host: "a.example"}, named: "a.example", reason: "resolves to an address that is denied or that no policy opens"},
		{kind: order.DeniedUDP, act: order.Act{Host: "a.example", Port: 443}, named: "a.example udp 443", reason: "only TCP can be allowed"},
		{kind: order.DeniedLimit, errno: "EAGAIN", flag: "--pids", named: "another process", reason: "limits.pids processes are there already"},
		{kind: order.DeniedLimit, act: order.Act{Asked: "too many"}, named: "too many", reason: "a limit of the sandbox"},
		{kind: order.DeniedOpen, act: order.Act{Path: "/p"}, errno: "ENOENT", named: "/p", reason: "not there: no grant covers it"},
		{kind: order.DeniedOpen, act: order.Act{Path: "/p"}, errno: "EROFS", named: "/p", reason: "read-only: no grant for writing covers it"},
		{kind: order.DeniedUnix, act: order.Act{Path: "/s"}, errno: "EACCES", named: "/s", reason: "refused with EACCES"},
		{kind: "new", named: "new", reason: "refused"},
	} {
		c.act.Kind = c.kind
		d := order.DeniedCount{Act: c.act, Flag: c.flag, Errno: c.errno, Count: 1}
		if named, reason := Act(&d.Act), Reason(&d); named != c.named || reason != c.reason {
			t.Errorf("%+v: %q, %q", d, named, reason)
		}
	}
}
