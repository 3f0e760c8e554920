package hosts_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/seccomp"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
)

func TestSyscall(t *testing.T) {
	const (
		usual    = `{"version":1}`
		strict   = `{"version":1,"level":"strict"}`
		one      = `{"version":1,"subprocess":{"allow":false},"seccomp":{"deny":["uname","execveat","uname","mount","ioctl"]}}`
		programs = "the server can start every program that it sees"
		without  = "-"
	)
	for _, c := range []struct {
		document, name string
		allowed        order.Allowance
		by, flags      string
		patch, opens   string
		text           string
	}{
		{usual, "read", order.ActAllowed, "default", "-", "", "", "read is allowed: no filter refuses this call"},
		{usual, "mount", order.ActDenied, "default", "-", "", "", "mount is refused with EPERM; only level privileged, which has no filter, lets the call pass"},
		{usual, "clone3", order.ActDenied, "default", "-", "", "", "clone3 is refused with ENOSYS"},
		{usual, "socket", order.ActDepends, "default", "-", "", "", ""},
		{usual, "clone", order.ActDepends, "default", "-", "", "", ""},
		{usual, "execve", order.ActAllowed, "default", "-", "", "", ""},
		{strict, "execve", order.ActDenied, "/level", "--subprocess", "add /subprocess/allow", programs, "execve is refused with ENOSYS after the server's start, by /level"},
		{strict, "execveat", order.ActDenied, "/level", "--subprocess", "add /subprocess/allow", programs, "execveat is refused with EPERM, by /level"},
		{strict, "clone", order.ActDepends, "/level", "--subprocess", "add /subprocess/allow", programs, ""},
		{strict, "ptrace", order.ActDenied, "default", "-", "", "", ""},
		{one, "uname", order.ActDenied, "/seccomp/deny/0", "-", "remove /seccomp/deny/2, remove /seccomp/deny/0", "", "uname is refused with EPERM, by /seccomp/deny/0"},
		{one, "execveat", order.ActDenied, "/seccomp/deny/1", "-", "remove /seccomp/deny/1, add /subprocess/allow", programs, ""},
		{one, "clone", order.ActDepends, "/subprocess/allow", "--subprocess", "add /subprocess/allow", programs, ""},
		{one, "mount", order.ActDenied, "default", "-", "", "", ""}, // whether the policy denies it or not
		{one, "ioctl", order.ActDenied, "/seccomp/deny/4", "-", "remove /seccomp/deny/4", "", ""},
		{`{"version":1,"level":"privileged"}`, "mount", order.ActAllowed, "/level", "-", "", "", ""},
	} {
		p := parsed(t, c.document)
		a, err := hosts.Syscall(&p, c.name)
		flags := strings.Join(a.Flags, " ")
		if a.Flags == nil {
			flags = without
		}
		if err != nil || a.Allowed != c.allowed || a.By != c.by || flags != c.flags || patchText(a) != c.patch || strings.Join(a.Opens, "|") != c.opens ||
			c.text != "" && a.Text != c.text || (a.Reason == order.ByPolicy) != (a.Allowed != order.ActAllowed) {
			t.Errorf("%s: %s: %+v, %v", c.document, c.name, a, err)
		}
	}
}

// A call that only the other architecture has is refused by the kernel; what is no call is an error with a guess.
func TestSyscallNames(t *testing.T) {
	p := parsed(t, `{"version":1}`)
	if a, err := hosts.Syscall(&p, "open"); runtime.GOARCH == "arm64" && (err != nil || a.Allowed != order.ActDenied || !strings.Contains(a.Text, "no such call")) {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := hosts.Syscall(&p, "renameat2x"); err == nil || !strings.Contains(err.Error(), "did you mean renameat2?") {
		t.Error(err)
	}
	for _, bad := range []string{`{"version":1,"seccomp":{"deny":["opne"]}}`, `{"version":1,"seccomp":{"deny":["read"]}}`} {
		p := parsed(t, bad)
		if a, err := hosts.Syscall(&p, "uname"); err == nil {
			t.Errorf("%s: %+v", bad, a)
		}
	}
}

// Of each call whose arguments decide it is said which, and of no other.
func TestRefusedArguments(t *testing.T) {
	p := parsed(t, `{"version":1}`)
	depends := 0
	for _, name := range seccomp.Names() {
		a, err := hosts.Syscall(&p, name)
		if err != nil {
			t.Fatal(name, err)
		}
		if a.Allowed != order.ActDepends {
			continue
		}
		if depends++; !strings.Contains(a.Text, ": the filter refuses ") {
			t.Errorf("%s", a.Text)
		}
	}
	if depends < 15 {
		t.Errorf("%d calls depend on their arguments", depends)
	}
	reduced := seccomp.Options{NoUnix: true, NoInet: true, NoNetlink: true}
	if a, err := hosts.Filtered(&p, reduced, "socket"); err != nil || a.Allowed != order.ActDenied || !strings.Contains(a.Text, "EAFNOSUPPORT") {
		t.Errorf("%+v, %v", a, err)
	}
}
