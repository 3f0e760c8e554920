package escape_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/attempt"
)

// Agents, editors and terminal multiplexers listen in the folders that a user works in, and do what they are told
// there. Where sockets are to be expected the family is refused: the table has that, for its scene lies in /var/tmp.
// So here the launcher sees the scene in a folder where none are, and each has to be covered. The control is a
// launcher in another network namespace, which is not told of them: it is what all were before.
func socketsInGrants(t *testing.T, l level) {
	s := stage(t)
	paths := hostsSockets(t, s.dir)
	const shown = "/mnt"
	for _, path := range paths {
		if got := s.outside(t, testbed.Self(t, adversaryName), false, "unix "+s.dir+path); !got.OK {
			t.Errorf("outside: %s: %+v", path, got)
		}
	}
	inside := &scene{dir: shown, words: strings.NewReplacer("S/", shown+"/"), machine: testbed.Machine{At: s.dir, Shown: shown}}
	abstract := "@" + filepath.Base(s.dir)
	paths = append(paths, "/home/socket") // not granted
	words := []string{testbed.Self(t, adversaryName), "--", "unix", abstract}
	for _, path := range paths {
		words = append(words, "--", "unix", shown+path)
	}
	all := []level{l}
	if !l.reduced {
		all = append(all, levels()[1:3]...) // network and strict
	}
	for _, l := range all {
		for _, inside.machine.Apart = range []bool{false, true} {
			out, errs, _ := launch(t, inside, l, words...)
			got := results(t, out)
			if len(got) != 1+len(paths) {
				t.Fatalf("%s: %d results\n%s%s", l.name, len(got), out, errs)
			}
			checkSocket(t, l, abstract, got[0], "ECONNREFUSED EPERM", false)
			for i, path := range paths {
				want := "EACCES"
				if path == "/home/socket" {
					want = "ENOENT"
				}
				checkSocket(t, l, path, got[1+i], want, inside.machine.Apart && want == "EACCES" && landlockABI(t) < 9)
			}
		}
	}
}

// socketAnew: a daemon of the host removes its socket and binds another while the server runs, as one does that
// restarts.
func socketAnew(t *testing.T, l level) {
	if landlockABI(t) >= 9 || l.reduced {
		return // no cover: the server can connect to none at all
	}
	s := stage(t)
	hostsSockets(t, s.dir)
	const shown, socket = "/mnt", "/write/a/agent"
	inside := &scene{dir: shown, words: strings.NewReplacer("S/", shown+"/"), machine: testbed.Machine{At: s.dir, Shown: shown}}
	var out bytes.Buffer
	cmd := inside.acting(t, l, "replaced S"+socket)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = session(t), &out, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the server", func() bool { _, err := os.Lstat(s.dir + socket + ".ready"); return err == nil })
	if err := os.Remove(s.dir + socket); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "the end of the cover", func() bool { return !mountedInside(cmd.Process.Pid, shown+socket) })
	anew, err := net.Listen("unix", s.dir+socket)
	if err != nil {
		t.Fatal(err)
	}
	defer anew.Close()
	testbed.Await(t, "the cover", func() bool { return mountedInside(cmd.Process.Pid, shown+socket) })
	if err := os.WriteFile(s.dir+socket+".done", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if all := results(t, out.String()); err != nil || len(all) != 1 || all[0].OK || all[0].Errno != "EACCES" {
		t.Errorf("inside: %+v, %v", all, err)
	}
	if r := s.outside(t, testbed.Self(t, adversaryName), false, "replaced "+s.dir+socket); r.Errno != "ENXIO" { // open(2) of a socket
		t.Errorf("outside: %+v", r)
	}
}

// mountedInside reports whether a server, a grandchild of its launcher's, has a mount at path.
func mountedInside(launcher int, path string) bool {
	for _, init := range testbed.Children(launcher) {
		for _, server := range testbed.Children(init) {
			if host.Mounted(server, path) {
				return true
			}
		}
	}
	return false
}

// checkSocket compares how a connect went: gap is true where it goes through.
func checkSocket(t *testing.T, l level, socket string, got attempt.Result, want string, gap bool) {
	t.Helper()
	if l.reduced && landlockABI(t) < 9 || landlockABI(t) < 6 && l.name == "network" { // abstract ones would be in reach
		want, gap = "EAFNOSUPPORT", false
	}
	if got.OK != gap || !gap && !slices.Contains(strings.Fields(want), got.Errno) {
		t.Errorf("%s: %s: %+v, want %s", l.name, socket, got, want)
	}
}

// hostsSockets listens below a folder under names of all kinds, and returns the paths below it that lead there.
func hostsSockets(t *testing.T, dir string) []string {
	t.Helper()
	for bound, path := range map[string]string{"read/agent": "read/agent", "write/a/agent": "write/a/agent", "read/s.tmp": "read/sub/renamed",
		"./write/relative": "write/relative"} {
		l, err := net.Listen("unix", dir+"/"+bound)
		if strings.HasPrefix(bound, "./") {
			l.Close()
			t.Chdir(dir)
			l, err = net.Listen("unix", bound)
		}
		if err != nil {
			t.Fatal(err)
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false)
		t.Cleanup(func() { l.Close() })
		if err := os.Rename(dir+"/"+bound, dir+"/"+path); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir+"/"+path, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"/read/agent", "/write/a/agent", "/read/sub/renamed", "/write/relative"}
}
