package asked_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/init/internal/why/hosts"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// What is answered about a system call is what becomes of it in a launch, under policies that deny calls at random and
// under those with which the answers propose to allow them.
func TestAnswersAboutCalls(t *testing.T) {
	names, calls := attempts(t)
	request, err := json.Marshal(calls)
	if err != nil {
		t.Fatal(err)
	}
	c := &comparison{T: t, names: names, request: string(request)}
	c.outside = unfiltered(t, c.request)
	documents := []string{`{"version":1}`, `{"version":1,"level":"strict"}`, `{"version":1,"level":"network"}`,
		`{"version":1,"subprocess":{"allow":false}}`}
	for seed := range uint64(2) {
		documents = append(documents, denying(t, names, seed))
	}
	for _, document := range documents {
		if after := c.compare(document); after != document {
			c.compare(after)
		}
	}
	t.Logf("%d rows: %d allowed, %d denied, %d depend; of the denied ones %d fail outside too: the kernel has not got the "+
		"call, or it is root's", c.rows, c.allowed, c.denied, c.depend, c.uncontrolled)
	if c.rows < 2000 || c.allowed < 1000 || c.denied < 300 || c.depend < 50 || c.uncontrolled > c.denied/4 {
		t.Error("too few")
	}
}

// denying is a policy that denies thirty calls more, but for those without which no server starts or speaks.
func denying(t *testing.T, names []string, seed uint64) string {
	t.Helper()
	const needed = " read write rt_sigprocmask rt_sigreturn prctl exit_group execve mmap munmap openat close fstat newfstatat brk " +
		"arch_prctl clone futex fcntl rt_sigaction sigaltstack gettid getpid madvise mprotect sched_getaffinity prlimit64 nanosleep " +
		"tgkill epoll_create1 epoll_ctl epoll_pwait eventfd2 readlinkat sched_yield "
	r := rand.New(rand.NewPCG(7, seed))
	deny := []string{}
	for len(deny) < 30 {
		if name := names[r.IntN(len(names))]; !strings.Contains(needed, " "+name+" ") {
			deny = append(deny, name)
		}
	}
	b, err := json.Marshal(map[string]any{"version": 1, "subprocess": map[string]any{"allow": seed%2 == 0},
		"seccomp": map[string]any{"deny": append(deny, deny[0])}})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// unfiltered has the calls made by the same user without a sandbox.
func unfiltered(t *testing.T, request string) (errors []string) {
	t.Helper()
	cmd := exec.Command(testbed.Self(t, "server"), serverIs, request)
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: 65533, Gid: 65533}
	}
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &errors)
	}
	if err != nil {
		t.Fatalf("%v, %s", err, out)
	}
	return errors
}

// A comparison is of launches with answers.
type comparison struct {
	*testing.T
	names   []string
	request string
	outside []string // the errors without a filter, two for each name

	rows, allowed, denied, depend, uncontrolled int
}

// compare launches a policy, and returns the document with which nothing more is denied that an answer would allow.
func (c *comparison) compare(document string) (after string) {
	c.Helper()
	p := parsed(c.T, document)
	got, run := launched(c.T, document, c.request, host.Env(c.T))
	after = document
	for i, name := range c.names {
		a, err := hosts.Syscall(p, name)
		if err != nil {
			c.Fatalf("%s: %v", name, err)
		}
		c.rows++
		c.hold(name, a, got[2*i:2*i+2], c.outside[2*i:2*i+2], run)
		if a.Patch == nil {
			continue
		}
		now, err := hosts.Syscall(parsed(c.T, after), name) // the positions of an earlier removal are gone
		if err != nil || now.Patch == nil {
			continue
		}
		_, changed, err := hosts.Fit([]byte(after), now.Patch)
		if err != nil {
			c.Fatalf("%+v: %v", now, err)
		}
		after = string(changed)
		if again, err := hosts.Syscall(parsed(c.T, after), name); err != nil || again.Allowed == order.ActDenied {
			c.Errorf("%s: %+v, %v", name, again, err)
		}
	}
	return after
}

// hold holds the errors of both attempts against an answer.
func (c *comparison) hold(name string, a order.Answer, got, outside []string, run *host.Run) {
	c.Helper()
	refusal := func(i int) bool { // or what looks like one; a limit of core dumps is not set, and nothing is said
		return slices.Contains([]string{"EPERM", "ENOSYS", "EAFNOSUPPORT"}, got[i]) ||
			got[i] == "0" && slices.Contains([]string{"setrlimit", "prlimit64"}, name)
	}
	controlled := got[0] != outside[0] || reports(run, name)
	switch a.Allowed {
	case order.ActAllowed:
		c.allowed++
		for i := range got {
			if refusal(i) && got[i] != outside[i] {
				c.Errorf("%s: %v, outside %v: %+v", name, got, outside, a)
			}
		}
	case order.ActDenied:
		c.denied++
		if !refusal(0) || !refusal(1) || !strings.Contains(a.Text, " with "+got[0]) {
			c.Errorf("%s: %v, outside %v: %+v", name, got, outside, a)
		}
		if !controlled {
			c.uncontrolled++
		}
	default:
		c.depend++
		if _, known := refusable[name]; !known || !refusal(0) || !controlled || refusal(1) {
			c.Errorf("%s: %v, outside %v: %+v", name, got, outside, a)
		}
	}
}

// reports reports whether a launch told of a call that was refused.
func reports(run *host.Run, name string) bool {
	for _, d := range run.Denied {
		if d.Syscall == name {
			return true
		}
	}
	return false
}
