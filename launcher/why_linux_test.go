package launcher_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// An answer names the entry, the patch applies to the policy's own document, and with the change the act is allowed.
func TestWhy(t *testing.T) {
	dir, err := filepath.EvalSymlinks(testbed.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	file := dir + "/file"
	if err := os.WriteFile(file, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	ask := func(p policy.Policy, q launcher.Question) launcher.Answer {
		t.Helper()
		a, err := launcher.Why(context.Background(), p, launcher.Target{Dir: "/"}, q)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var p policy.Policy
	a := ask(p, launcher.Question{Path: file})
	if a.Allowed != launcher.ActDenied || a.By != "default" || len(a.Flags) != 2 || !a.OnHost {
		t.Errorf("%+v", a)
	}
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"allowed":false,"reason":"policy","by":"default","seen":"private","onHost":true,"flags":["--allow-read","FILE"],` +
		`"patch":[{"op":"add","path":"/filesystem","value":{"allowRead":["FILE"]}}],"opens":[]}`
	if want = strings.ReplaceAll(want, "FILE", file); string(b) != want && strings.HasPrefix(dir, "/tmp/") {
		t.Errorf("got  %s\nwant %s", b, want)
	}
	p.Filesystem.AllowRead = []string{file}
	if a := ask(p, launcher.Question{Path: file}); a.Allowed != launcher.ActAllowed || a.By != "/filesystem/allowRead/0" {
		t.Errorf("%+v", a)
	}
	if a := ask(p, launcher.Question{Path: file, Op: launcher.OpWrite}); a.Allowed != launcher.ActDenied || a.Seen != "read-only" {
		t.Errorf("%+v", a)
	}
	if a := ask(p, launcher.Question{Host: "example.com", Port: 443}); a.Allowed != launcher.ActDenied || a.Patch == nil {
		t.Errorf("%+v", a)
	}
}

// Questions without an answer, and policies that no launch takes, are errors.
func TestWhyRefused(t *testing.T) {
	missing := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{"/nothing/there"}}}
	for _, c := range []struct {
		policy   policy.Policy
		target   launcher.Target
		question launcher.Question
		want     string
	}{
		{question: launcher.Question{}, want: "one question"},
		{question: launcher.Question{Path: "/x", Host: "y"}, want: "one question"},
		{question: launcher.Question{Path: "x"}, want: "no absolute path"},
		{question: launcher.Question{Path: "/x\x00y"}, want: "NUL"},
		{question: launcher.Question{Path: "/x", Op: "append"}, want: "none of read"},
		{question: launcher.Question{Host: "x", Op: launcher.OpRead}, want: "an op is one of a path"},
		{question: launcher.Question{Syscall: "no such call"}, want: "no system call"},
		{policy: missing, question: launcher.Question{Path: "/usr"}, want: "/nothing/there"},
		{target: launcher.Target{Path: "no-such-command"}, question: launcher.Question{Path: "/usr"}, want: "not found"},
	} {
		_, err := launcher.Why(context.Background(), c.policy, c.target, c.question)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := launcher.Why(ctx, policy.Policy{}, launcher.Target{}, launcher.Question{Path: "/usr"}); err == nil {
		t.Error("answered after the end of the context")
	}
	if !reexec.Armed() {
		t.Error("this test is no host")
	}
}
