package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A socket that a variable or an argument names is told with its flag, and with the flag it is not; the value of a
// variable stands in no line. A socket that gives the whole machine away is told because of the flag.
func TestSocketsAreTold(t *testing.T) {
	dir := testbed.Folder(t)
	for _, name := range []string{"agent", "docker.sock"} {
		l, err := net.Listen("unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if err := os.Chmod(filepath.Join(dir, name), 0o777); err != nil { // a root launcher's server is another user
			t.Fatal(err)
		}
	}
	agent, docker := filepath.Join(dir, "agent"), filepath.Join(dir, "docker.sock")
	const unseen = " exists and is not visible inside: --allow-unix-socket "
	for _, c := range []struct {
		name, env string
		args      string
		want      string
		kind      string // in the report
	}{
		{"forwarded", "SSH_AUTH_SOCK=" + agent, "--env SSH_AUTH_SOCK true", "the path in variable SSH_AUTH_SOCK" + unseen + "'$SSH_AUTH_SOCK'", "argument"},
		{"given", "A=b", "--env SSH_AUTH_SOCK=" + agent + " true", "the path in variable SSH_AUTH_SOCK" + unseen + "that path", "argument"},
		{"not forwarded", "SSH_AUTH_SOCK=" + agent, "true", "", ""},
		{"allowed", "SSH_AUTH_SOCK=" + agent, "--allow-unix-socket $SSH_AUTH_SOCK true", "", ""},
		{"an address", "A=b", "--env DBUS_SESSION_BUS_ADDRESS=unix:path=" + agent + ",guid=1 true", "the path in variable DBUS_SESSION_BUS_ADDRESS" + unseen + "that path", "argument"},
		{"an argument", "A=b", "true " + agent, " is not visible inside: --allow-unix-socket " + agent, "argument"},
		{"an allowed argument", "A=b", "--allow-unix-socket " + agent + " true " + agent, "", ""},
		{"a daemon", "A=b", "--allow-unix-socket " + docker + " true", "--allow-unix-socket " + docker + ": the server gets the rights of Docker, which are not confined", "network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, code, _, stderr := entry{args: strings.Fields(c.args), env: []string{c.env}, dir: "/"}.start(t)
			if code != 0 {
				t.Fatalf("code %d: %s", code, stderr)
			}
			if strings.Contains(stderr, "socket") != (c.want != "") || !strings.Contains(stderr, c.want) {
				t.Errorf("%s\nwant %q", stderr, c.want)
			}
			has := false
			for _, n := range first.Notices {
				has = has || string(n.Kind) == c.kind && n.Name != "A"
			}
			if c.kind != "" && !has {
				t.Errorf("%+v", first.Notices)
			}
		})
	}
}

// A write grant that is read-only is told, though many notices compete; of one with folders that are read-only there is
// a notice, and its flag opens the folder that it names.
func TestHeldIsTold(t *testing.T) {
	dir := testbed.Folder(t)
	for i := range 1900 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("whole/%d/.git", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10100 {
		if err := os.MkdirAll(filepath.Join(dir, fmt.Sprintf("two/%d/%d", i%2, i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, at := range []string{"whole", "two", "two/0", "two/1"} { // a root launcher's server is another user
		if err := os.Chmod(filepath.Join(dir, at), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		grants, write, want string
		graver              int
		denied              bool
	}{
		{"whole", "whole/f", "/whole is read-only as a whole: what runs code outside would take more than 1800 mounts to protect (grant folders in it)", 5, true},
		{"two", "two/f", " is read-only: more than 10000 folders to search for what runs code outside (--allow-write " + dir + "/two/", 0, false},
	} {
		e := entry{dir: "/"}
		for _, at := range strings.Fields(c.grants) {
			e.args = append(e.args, "--allow-write", filepath.Join(dir, at))
		}
		for i := range c.graver {
			e.args = append(e.args, "--env", fmt.Sprintf("REFERENCE%d=op://a/b", i))
		}
		e.args = append(e.args, "--", "sh", "-c", ": >"+filepath.Join(dir, c.write))
		_, code, _, stderr := e.start(t)
		if (code != 0) != c.denied || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: code %d, %s\nwant %q", c.grants, code, stderr, c.want)
		}
	}
	for _, held := range []string{dir + "/two/0", dir + "/two/1"} { // as the line says it of one of them
		e := entry{dir: "/", args: []string{"--allow-write", dir + "/two", "--allow-write", held, "--", "sh", "-c", ": >" + held + "/f"}}
		if _, code, _, stderr := e.start(t); code != 0 || strings.Contains(stderr, "read-only") {
			t.Errorf("%s: code %d, %s", held, code, stderr)
		}
	}
}
