package shim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const (
	onceOnly = `{"version":1,"subprocess":{"allow":false}}`
	freely   = `{"version":1}`
)

// attempted launches this test binary as a server that makes one attempt.
func attempted(t *testing.T, doc, name string) outcome {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return altered.Run(t, launch{Launch: host.Launch{Policy: doc, Command: []string{self, attemptFlag, name}}, Env: []string{"PATH=/usr/bin:/bin"}, Dir: "/"})
}

// Every way to another process or program is refused behind the one execve, each in a launch of its own. What the same call
// does in a server that may start others is its control.
func TestOneExec(t *testing.T) {
	for _, a := range attempts() {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			if o := attempted(t, onceOnly, a.name); o.Code != 0 || o.Stdout != a.want+"\n" {
				t.Errorf("code %d, %q, want %q\n%s", o.Code, o.Stdout, a.want, o.Stderr)
			}
			if a.control == "" {
				return // it would end this process in a way of its own, or the default filter refuses it too
			}
			if o := attempted(t, freely, a.name); o.Code != 0 || o.Stdout != a.control+"\n" {
				t.Errorf("control: code %d, %q, want %q\n%s", o.Code, o.Stdout, a.control, o.Stderr)
			}
		})
	}
}

// A signal that waits when the server's process opens its mask stops it under its tracer, which hands it on.
func TestSignalWhileTraced(t *testing.T) {
	s := build(t, "")
	l := s.Once(altered.OnExec, "mark")
	l.Once = "pend"
	if o := altered.Run(t, l); o.Code != 128+15 || o.Event() != "exited" || s.Ran(&o, "mark") {
		t.Errorf("code %d, %s, %q\n%s", o.Code, o.Event(), o.Stdout, o.Stderr)
	}
}

// Where the machine refuses to trace, the launch is refused, and told why.
func TestTraceRefused(t *testing.T) {
	s := build(t, "")
	l := s.Once(altered.OnExec, "mark")
	l.Once = "refuse"
	o := altered.Run(t, l)
	if o.Code != 125 || o.Event() != "refused" || s.Ran(&o, "mark") {
		t.Fatalf("code %d, %s, %q\n%s", o.Code, o.Event(), o.Stdout, o.Stderr)
	}
	hint, _ := o.Report[0]["hint"].(string)
	if o.Report[0]["op"] != "ptrace" || !strings.Contains(hint, "ptrace_scope") {
		t.Errorf("%v", o.Report)
	}
}

// An execve that fails is told as ever.
func TestOneExecFails(t *testing.T) {
	file := filepath.Join(t.TempDir(), "garbage")
	if err := os.WriteFile(file, []byte("no program\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	l := launch{Launch: host.Launch{Policy: strings.Replace(onceOnly, "{", `{"filesystem":{"allowRead":["`+filepath.Dir(file)+`"]},`, 1), Command: []string{file}}, Dir: "/"}
	for _, doc := range []string{l.Policy, strings.Replace(l.Policy, "false", "true", 1)} {
		l.Policy = doc
		if o := altered.Run(t, l); o.Code != 126 || !strings.Contains(o.Stderr, "exec format error") {
			t.Errorf("%s: code %d\n%s", doc, o.Code, o.Stderr)
		}
	}
}

// The shim dies while the server's process stands in a stop that nobody ends: nothing of the launch is left.
func TestShimDiesWhileStopped(t *testing.T) {
	s := build(t, "")
	l := s.Once(altered.OnExec, "mark")
	l.Once = "stuck"
	cmd, _, done := altered.Start(t, l, nil)
	init, server := stopped(t, cmd.Process.Pid)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if o := done(); s.Ran(&o, "mark") {
		t.Error("the server ran")
	}
	for _, pid := range []int{init, server} {
		testbed.Await(t, "the end of process "+strconv.Itoa(pid), func() bool { return strings.Contains("Z", testbed.State(pid)) })
	}
}

// stopped finds, of a shim, the init whose server stands in a stop of its tracer.
func stopped(t *testing.T, shim int) (init, server int) {
	t.Helper()
	slept := 0
	testbed.Await(t, "a stop that nobody ends", func() bool {
		for _, init = range testbed.Children(shim) {
			for _, server = range testbed.Children(init) {
				if testbed.State(server) != "t" || testbed.State(init) != "S" {
					continue
				}
				// An init that ends the stop wakes before the next look.
				before := slept
				slept = testbed.Sleeps(init)
				return slept == before
			}
		}
		return false
	})
	return init, server
}

// Servers with threads run, in level strict as well.
func TestOneExecRuntimes(t *testing.T) {
	script := filepath.Join(t.TempDir(), "server.js")
	text := "#!/usr/bin/env node\nnew (require('worker_threads').Worker)('1',{eval:true}).on('exit',()=>console.log('fine', process.argv[2]))\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	python := "import threading,socket\nt=threading.Thread(target=lambda:print('fine x'));t.start();t.join()"
	for _, r := range []struct {
		name, program, want string
		argv                []string
	}{
		{"node", "node", "fine x", []string{"node", script, "x"}},
		{"env-shebang", "node", "fine x", []string{script, "x"}},
		{"python", "python3", "fine x", []string{"/usr/bin/python3", "-c", python}},
		{"java", "java", "Runtime Environment", []string{"java", "-version"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			if _, err := exec.LookPath(r.program); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skip(err)
			}
			for _, level := range []string{`"subprocess":{"allow":false}`, `"level":"strict"`} {
				o := altered.Run(t, launch{Launch: host.Launch{Policy: `{"version":1,` + level + `,"filesystem":{"allowRead":["` + filepath.Dir(script) + `"]}}`,
					Command: r.argv}, Env: []string{"PATH=/usr/local/bin:/usr/bin:/bin"}, Dir: "/"})
				if o.Code != 0 || !strings.Contains(o.Stdout+o.Stderr, r.want) {
					t.Errorf("%s: code %d, %q\n%s", level, o.Code, o.Stdout, o.Stderr)
				}
			}
		})
	}
	t.Run("go", func(t *testing.T) {
		if o := attempted(t, `{"version":1,"level":"strict"}`, "threads"); o.Code != 0 || o.Stdout != "fine\n" {
			t.Errorf("code %d, %q\n%s", o.Code, o.Stdout, o.Stderr)
		}
	})
}

// Level strict reaches confinement full, says once where the rate of CPU time is not limited, and grants nothing to write.
func TestStrict(t *testing.T) {
	s := build(t, "")
	l := s.Once(altered.OnExec, "mark")
	l.Policy = strings.Replace(l.Policy, `"version":1`, `"version":1,"level":"strict"`, 1)
	l.Verbose = true
	o := altered.Run(t, l)
	if len(o.Report) == 0 || o.Report[0]["confinement"] != "full" || o.Report[0]["minConfinement"] != "full" || o.Stdout != "ran\n" {
		t.Fatalf("code %d, %q, %v\n%s", o.Code, o.Stdout, o.Report, o.Stderr)
	}
	if _, err := os.Stat(s.Path("write/mark")); err == nil {
		t.Error("it wrote to a grant")
	}
	want := 1
	for _, l := range o.Report[0]["layers"].([]any) {
		if l := l.(map[string]any); l["layer"] == "cgroup" && l["state"] == "proved" {
			want = 0 // it is limited
		}
	}
	if n := strings.Count(o.Stderr, "rate of CPU time is not limited"); n != want {
		t.Errorf("said %d times, want %d\n%s", n, want, o.Stderr)
	}
}

// What works by starting others is refused before anything starts.
func TestStarters(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"npx": "#!/bin/true\n", "uvx": "#!/bin/true\n", "wrapper": "#!/bin/sh\nexec node\n", "set": "#!/usr/bin/env -S A=1 true\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, argv := range [][]string{{"sh", "-c", "echo ran"}, {filepath.Join(dir, "npx")}, {filepath.Join(dir, "uvx"), "mcp-server-fetch"}, {"npx", "-y", "server"}, {"uvx", "server"}, {filepath.Join(dir, "wrapper")},
		{filepath.Join(dir, "set")}, {"env", "true"}} {
		l := launch{Launch: host.Launch{Policy: onceOnly, Command: argv}, Env: []string{"PATH=" + dir + ":/usr/bin:/bin"}, Dir: "/"}
		o := altered.Run(t, l)
		hint := ""
		if len(o.Report) == 1 {
			hint, _ = o.Report[0]["hint"].(string)
		}
		if o.Code != 125 || o.Stdout != "" || !strings.Contains(hint, "node and the server's file") || !strings.Contains(hint, "subprocess.allow to true") {
			t.Errorf("%q: code %d, %q, %v", argv, o.Code, o.Stdout, o.Report)
		}
	}
}
