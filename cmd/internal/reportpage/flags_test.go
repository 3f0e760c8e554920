package reportpage

import (
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// A flag that a launch does not suggest for the very act is not shown: a stranger's report would have people type it.
func TestForgedFlags(t *testing.T) {
	name, open := order.Act{Kind: order.DeniedName, Host: "a.example"}, order.Act{Kind: order.DeniedOpen, Path: "/p/x"}
	quoted, port := order.Act{Kind: order.DeniedOpen, Path: "/a b/x"}, order.Act{Kind: order.DeniedPort, Host: "2001:db8::1", Port: 80}
	call := func(name string) order.Act { return order.Act{Kind: order.DeniedSyscall, Syscall: name} }
	for _, c := range []struct {
		act         order.Act
		errno, flag string
		fits        bool
	}{
		{name, "", "--allow-domain a.example", true}, {port, "", "--allow-domain [2001:db8::1]:80", true},
		{order.Act{Kind: order.DeniedName, Host: "localhost"}, "", "--allow-domain localhost:PORT", true}, {call("clone"), "", "--subprocess", true},
		{order.Act{Kind: order.DeniedPrivate}, "", "--allow-private", true}, {order.Act{Kind: order.DeniedLimit}, "", "--pids", true},
		{open, "ENOENT", "--allow-read /p/x", true}, {open, "EROFS", "--allow-write /p/x", true}, {quoted, "", "--allow-read '/a b/x'", true},
		{order.Act{Kind: order.DeniedExec, Path: "/p"}, "", "--allow-read /p", true}, {order.Act{Kind: order.DeniedUnix, Path: "/s"}, "", "--allow-unix-socket /s", true},
		{name, "", "--allow-domain a.example:8443", false}, {name, "", "--level privileged", false}, {name, "", "--subprocess", false}, {name, "", "--allow-private", false},
		{name, "", "--allow-domain b.example", false}, {name, "", "--allow-domain *.a.example", false}, {port, "", "--allow-domain [2001:db8::1]:22", false},
		{order.Act{Kind: order.DeniedName, Host: "*.example"}, "", "--allow-domain *.example", false}, {order.Act{Kind: order.DeniedName, Host: "a; rm -rf ~"}, "", "--allow-domain a; rm -rf ~", false},
		{order.Act{Kind: order.DeniedName}, "", "--allow-domain ", false}, {order.Act{Kind: order.DeniedPort, Host: "a.example", Port: 53}, "", "--allow-domain a.example:53", false},
		{order.Act{Kind: order.DeniedName, Host: "x.localhost"}, "", "--allow-domain localhost:PORT", false}, // which opens no such name
		{order.Act{Kind: order.DeniedName, Host: "x.localhost --level privileged"}, "", "--allow-domain x.localhost --level privileged", false},
		{call("ptrace"), "", "--subprocess", false}, {order.Act{Kind: order.DeniedLimit, Asked: "too many look-ups"}, "", "--pids", false},
		{open, "ENOENT", "--allow-read /p", false}, {open, "ENOENT", "--allow-write /p/x", false}, {open, "EROFS", "--allow-read /p/x", false}, {open, "", "--allow-read ~/x", false},
		{order.Act{Kind: order.DeniedOpen, Path: "/p/../x"}, "", "--allow-read /p/../x", false}, {order.Act{Kind: order.DeniedOpen, Path: "/"}, "", "--allow-read /", false},
		{order.Act{Kind: order.DeniedOpen, Path: "x"}, "", "--allow-read x", false}, {order.Act{Kind: order.DeniedUDP, Host: "a.example"}, "", "--allow-domain a.example", false},
		{order.Act{Kind: order.DeniedName, Host: "a.example", Path: "/p"}, "", "--allow-read /p", false}, {order.Act{Kind: "new"}, "", "--subprocess", false},
	} {
		if got := flag(&c.act, c.flag, c.errno); got != "" != c.fits || c.fits && got != c.flag {
			t.Errorf("%+v %s %q: %q", c.act, c.errno, c.flag, got)
		}
	}
}

// The page has the flags that the reading has, of records and of counts alike; a count has its record's.
func TestFlagsAreShown(t *testing.T) {
	const first, record = `{"event":"enforced","version":1,"id":"0f","command":["x"]}` + "\n", `{"event":"denied","kind":"name","host":"a.example","flag":"FLAG"}` + "\n"
	last := `{"event":"exited","id":"0f","cause":"exit","denied":[{"kind":"name","host":"a.example","flag":"FLAG","count":3}]}` + "\n"
	for _, c := range []struct{ text, flag, want string }{
		{record, "--allow-domain a.example", "--allow-domain a.example"}, {last, "--allow-domain a.example", "--allow-domain a.example"},
		{record + strings.Replace(last, `"flag":"FLAG",`, "", 1), "--allow-domain a.example", "--allow-domain a.example"},
		{record, "--level privileged", ""}, {last, "--level privileged", ""}, {record + last, "--allow-domain b.example", ""},
	} {
		r, err := parse([]byte(first + strings.ReplaceAll(c.text, "FLAG", c.flag)))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, d := range r.Denied {
			got = d.Flag
		}
		if r.Exited != nil {
			got = r.Exited.Denied[0].Flag
		}
		if page := shown(r); got != c.want || strings.Contains(page, "--") != (c.want != "") || !strings.Contains(page, "name a.example") {
			t.Errorf("%s %s: %q\n%s", c.text, c.flag, got, page)
		}
	}
}
