package reexec_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// nobodyElse is a uid that the tests of a root become.
const nobodyElse = testbed.Ordinary

// A host that has rights of its file's owner would start anything for anybody.
func TestPrivilegedStarts(t *testing.T) {
	copies := testbed.Privileged(t)
	own := testbed.Copy(t, 0o755)
	code, out, errs := as(t, own, nobodyElse, start{Binary: own})
	right(t, code, out, errs)
	for name, binary := range copies {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{reexec.ByHost}, {reexec.BySelf, "3"}, {"reap"}, {}, {"x", "y"}} {
				code, out, errs := as(t, own, nobodyElse, start{Binary: binary, Args: args})
				wrong(t, code, out, errs, "rights")
			}
		})
	}
	t.Run("real id of another", func(t *testing.T) {
		code, out, errs := as(t, own, 0, start{Binary: own, RealUID: nobodyElse})
		wrong(t, code, out, errs, "rights")
	})
}

// The two parts of a probe's server are a host's own program as well. Whoever starts it chooses argument 0: it must never be
// what the second process executes.
func TestPrivilegedTrial(t *testing.T) {
	copies := testbed.Privileged(t)
	chosen := filepath.Join(testbed.Folder(t), "chosen")
	if err := os.WriteFile(chosen, []byte("#!/bin/sh\necho chosen; id -u\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	trial := func(binary, part string) *exec.Cmd {
		cmd := exec.Command(binary)
		cmd.Args = []string{chosen, part}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyElse, Gid: nobodyElse}}
		return cmd
	}
	for name, binary := range copies {
		for _, part := range []string{reexec.DaemonServer, "mcp-sandbox-probe-daemon"} {
			t.Run(name+" "+part, func(t *testing.T) {
				code, out, errs := testbed.Finish(t, trial(binary, part))
				wrong(t, code, out, errs, "rights")
			})
		}
	}
	t.Run("nobody's rights", func(t *testing.T) { // and here the two wait to be ended
		cmd := trial(testbed.Copy(t, 0o755), reexec.DaemonServer)
		cmd.SysProcAttr.Setpgid = true
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		cmd.Stdout = w
		if err = cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		b := make([]byte, 100)
		if n, err := r.Read(b); string(b[:n]) != reexec.Daemonised {
			t.Errorf("%q %v", b[:n], err)
		}
		for _, pid := range daemons(t, cmd.Path) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		cmd.Wait()
	})
}

// daemons are the two processes of a trial.
func daemons(t *testing.T, path string) (pids []int) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if to, _ := os.Readlink(l); to == path {
			pid, _ := strconv.Atoi(strings.Split(l, "/")[2])
			pids = append(pids, pid)
		}
	}
	if len(pids) != 2 {
		t.Errorf("%d processes, not two", len(pids))
	}
	return pids
}

// Init executes the shim's binary to end what the shim left, and to remove the private folder, which is an open descriptor.
// A set-user-ID host that did so for anybody would remove root's files.
func TestPrivilegedReaper(t *testing.T) {
	copies := testbed.Privileged(t)
	own := testbed.Copy(t, 0o755)
	full := func(t *testing.T, owner int) (folder *os.File, file string) {
		t.Helper()
		dir := testbed.Folder(t)
		file = filepath.Join(dir, "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, owner, owner); err != nil {
			t.Fatal(err)
		}
		folder, err := os.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { folder.Close() })
		return folder, file
	}
	for name, binary := range copies {
		t.Run(name, func(t *testing.T) {
			folder, file := full(t, 0)
			code, out, errs := as(t, own, nobodyElse, start{Binary: binary, Args: []string{"reap"}, Reaper: true}, folder)
			wrong(t, code, out, errs, "rights")
			if _, err := os.Stat(file); err != nil {
				t.Error(err)
			}
		})
	}
	folder, file := full(t, nobodyElse) // the caller's own is emptied
	code, out, errs := as(t, own, nobodyElse, start{Binary: own, Args: []string{"reap"}, Reaper: true}, folder)
	if _, err := os.Stat(file); code != 0 || !os.IsNotExist(err) {
		t.Errorf("status %d, %v\n%s%s", code, err, out, errs)
	}
}

// The functions that launch without the launcher's package are no way around Init either.
func TestPrivilegedCalls(t *testing.T) {
	copies := testbed.Privileged(t)
	own := testbed.Copy(t, 0o755)
	for _, act := range []string{"run", "exec", "plan"} {
		call := func(binary string) (int, string, string) {
			cmd := exec.Command(binary)
			cmd.Args, cmd.Env, cmd.Dir = []string{callerName, act}, reexec.ChildEnv(), "/"
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobodyElse, Gid: nobodyElse}}
			return testbed.Finish(t, cmd)
		}
		code, out, errs := call(own)
		if act != "plan" {
			right(t, code, out, errs)
		} else if code != 0 || !bytes.Contains([]byte(out), []byte("seccomp")) {
			t.Errorf("%s: status %d, %q\n%s", act, code, out, errs)
		}
		for name, binary := range copies {
			code, out, errs := call(binary)
			if code != 125 || out != "" || !strings.Contains(errs, "rights") {
				t.Errorf("%s %s: status %d, said %q\n%s", name, act, code, out, errs)
			}
		}
	}
}
