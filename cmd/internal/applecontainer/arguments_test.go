package applecontainer

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/policy"
)

var update = flag.Bool("update", false, "write the goldens anew")

// requests are the policies whose arguments are compared, by the golden's name. Paths are below a folder that exists.
func requests(dir string) map[string]Request {
	at := func(name string) string { return filepath.Join(dir, name) }
	base := Request{Name: "mcp-sandbox-1-x", Image: "docker.io/library/node:22", Command: []string{"node", "server.js", "--flag=a b"},
		Env: []string{"PATH=/usr/bin", "HOME=/Users/ann", "TOKEN=a=b", "LANG=C"}}
	with := func(p policy.Policy, change func(*Request)) Request {
		r := base
		r.Policy = p.Effective(policy.Run)
		if change != nil {
			change(&r)
		}
		return r
	}
	limits := policy.Policy{MinConfinement: policy.ConfinementLimits}
	granted, network, sized := limits, limits, limits
	granted.Filesystem = policy.Filesystem{AllowRead: []string{at("data"), "-" + at("gone")}, AllowWrite: []string{at("work")}}
	network.Level = policy.LevelNetwork
	sized.Limits = policy.Limits{CPU: 1500, Memory: 768 << 20, Timeout: policy.Duration(time.Minute)}
	strict := granted
	strict.Level = policy.Strict
	return map[string]Request{
		"nothing": with(limits, nil),
		"grants":  with(granted, nil),
		"strict":  with(strict, nil), // an allowWrite is read-only there
		"network": with(network, nil),
		"limits":  with(sized, nil),
		"user": with(limits, func(r *Request) {
			r.Policy.User, r.Dir = "1000:1001", "/srv"
		}),
	}
}

func TestArguments(t *testing.T) {
	dir := t.TempDir()
	for _, d := range []string{"data", "work"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, r := range requests(dir) {
		start, err := r.Start()
		if err != nil {
			t.Fatal(name, err)
		}
		var b strings.Builder
		for _, call := range [][]string{start, r.Inspect(), r.Exec(), r.Stop(5), r.Delete()} {
			b.WriteString("container\n")
			for _, a := range call {
				b.WriteString("\t" + filepath.ToSlash(strings.ReplaceAll(a, dir, "$DIR")) + "\n")
			}
		}
		golden := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil || string(want) != b.String() {
			t.Errorf("%s: %v, got\n%s", golden, err, b.String())
		}
	}
}

func TestGrantsThatCannotBe(t *testing.T) {
	dir := t.TempDir()
	file, comma := filepath.Join(dir, "file"), filepath.Join(dir, "a,readonly=x")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(comma, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, comma, filepath.Join(dir, "gone")} {
		r := Request{Policy: policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{path}}}}
		if args, err := r.Start(); err == nil {
			t.Errorf("%s: %q", path, args)
		}
	}
}

func TestUnheld(t *testing.T) {
	for key, p := range map[string]policy.Policy{
		"":                     {},
		"filesystem.denyRead":  {Filesystem: policy.Filesystem{DenyRead: []string{"/x"}}},
		"filesystem.denyWrite": {Filesystem: policy.Filesystem{DenyWrite: []string{"/x"}}},
		"filesystem.default":   {Filesystem: policy.Filesystem{Default: policy.Read}},
		"subprocess.allow":     {Subprocess: policy.Subprocess{Allow: policy.No}},
		"state":                {State: "acme"},
		"seccomp.deny":         {Seccomp: policy.Seccomp{Deny: []string{"bpf"}}},
	} {
		p = p.Effective(policy.Run)
		if got := strings.Join(unheld(&p), " "); got != key {
			t.Errorf("%q, want %q", got, key)
		}
	}
}
