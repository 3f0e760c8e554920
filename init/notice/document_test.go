package notice

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// The line about refusals is said as docs/stdio.md has it.
func TestDocumentedRefusals(t *testing.T) {
	text, err := os.ReadFile("../../docs/stdio.md")
	if err != nil {
		t.Fatal(err)
	}
	last := []order.Act{{Kind: order.DeniedSyscall, Syscall: "clone"}, {Kind: order.DeniedUDP, Host: "api.example.com", Port: 443}}
	for _, line := range []string{Why(3, "", nil), Why(1, "/srv/report.jsonl", nil), Why(3, "", last)} {
		if !strings.Contains(string(text), "`"+line+"`") {
			t.Errorf("docs/stdio.md has no %s", line)
		}
	}
}

// The lines that docs/network.md explains are those that are said, each kind of them, and no others.
func TestDocumentedLines(t *testing.T) {
	text, err := os.ReadFile("../../docs/network.md")
	if err != nil {
		t.Fatal(err)
	}
	const api = "api.example.com"
	web := []uint16{80, 443}
	upstream := func(host string, port uint16, errno string) order.Denied {
		return order.Denied{Act: order.Act{Kind: order.DeniedUpstream, Host: host, Port: port}, Errno: errno}
	}
	limit := func(which string) order.Denied {
		return order.Denied{Act: order.Act{Kind: order.DeniedLimit, Asked: which}}
	}
	var want []string
	for _, d := range []order.Denied{
		{Act: order.Act{Kind: order.DeniedName, Host: "login.example.com"}, Flag: "--allow-domain login.example.com"},
		{Act: order.Act{Kind: order.DeniedName, Host: "dev.example.com", Asked: "localhost"}},
		{Act: order.Act{Kind: order.DeniedName, Host: "svc", Asked: "svc.ns.svc.cluster.local"}},
		upstream("svc", 0, "no such name: search lists are not used, so allow, and ask for, the full name"),
		{Act: order.Act{Kind: order.DeniedName, Host: "bad.example.com"}},
		{Act: order.Act{Kind: order.DeniedPort, Host: api, Port: 8080}, Flag: "--allow-domain api.example.com:8080"},
		{Act: order.Act{Kind: order.DeniedPort, Host: "localhost", Port: 3000}, Flag: "--allow-domain localhost:3000"},
		{Act: order.Act{Kind: order.DeniedAddress, Address: "203.0.113.11", Port: 80}},
		{Act: order.Act{Kind: order.DeniedPrivate, Host: "intra.example.com"}, Flag: "--allow-private"},
		{Act: order.Act{Kind: order.DeniedPrivate, Host: "metadata.example.com"}},
		{Act: order.Act{Kind: order.DeniedServerName, Host: api, Port: 443, Asked: "telemetry.example.net"}},
		{Act: order.Act{Kind: order.DeniedServerName, Host: api, Port: 443}},
		{Act: order.Act{Kind: order.DeniedUDP, Host: api, Port: 443}},
		upstream(api, 443, "ECONNREFUSED"), upstream(api, 443, "ETIMEDOUT"),
		upstream(api, 443, "ENETUNREACH"), upstream(api, 443, "ENOENT"),
		upstream(api, 0, "nameserver 192.0.2.53:53: answered REFUSED"),
		upstream("db.example.com", 5432, "proxy 192.0.2.3:3128: proxy's answer: status 403"),
		limit("512 connections at once are the most: further ones were reset"),
		limit("512 sockets of TCP without a connection and 256 of UDP are the most: further ones were refused"),
		limit("too many names at once: some look-ups failed"),
		limit("too many look-ups at once: some failed"),
		limit("the launcher can open no more files (ulimit -n): connections were reset"),
		limit("this machine can open no more files (sysctl fs.file-max): connections were reset, or wait"),
	} {
		var ports []uint16
		if d.Host == api {
			ports = web
		}
		want = append(want, strings.TrimPrefix(InFlags(Network(&d, ports)), "network: "))
	}
	_, table, _ := strings.Cut(string(text), "\n| line, behind `mcp-sandbox: network: ` | what to do |\n|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var got []string
	for row := range strings.Lines(table) {
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(strings.Split(row, " | ")[0], -1) {
			got = append(got, m[1])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/network.md has\n%s\nand said is\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
