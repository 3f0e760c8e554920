package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A client is a process that starts mcp-sandbox, on a machine whose passwd(5) names a home for this user.
type client struct {
	program string // mcp-sandbox as people have it, and not this test binary
	home    string
	passwd  string
}

func newClient(t *testing.T) *client {
	if _, err := exec.LookPath("unshare"); err != nil {
		testbed.Missing(t, "unshare", "no unshare: no other passwd")
	}
	c := &client{program: testbed.Command(t, "mcp-sandbox"), home: t.TempDir()}
	c.passwd = filepath.Join(t.TempDir(), "passwd")
	line := fmt.Sprintf("nobody:x:65534:65534::/nonexistent:\nann:x:%d:%d::%s:/bin/sh\nann2:x:%[1]d:%d::/elsewhere:\n",
		os.Getuid(), os.Getgid(), c.home, os.Getgid())
	if err := os.WriteFile(c.passwd, []byte(line), 0o644); err != nil {
		t.Fatal(err)
	}
	return c
}

// start has the client, whose environment is own, start mcp-sandbox with entry added to that.
func (c *client) start(t *testing.T, own, entry []string, args ...string) (stdout, stderr string) {
	t.Helper()
	uid, gid := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getgid())
	words := []string{"unshare", "--mount"}
	back := "exec "
	if uid != "0" {
		words = []string{"unshare", "--user", "--map-root-user", "--mount"}
		back = "exec unshare --user --map-user=" + uid + " --map-group=" + gid + " "
	}
	words = append(words, "sh", "-c", `mount --bind "$0" /etc/passwd && `+back+`sh -c '"$@"; exit $?' sh "$@"`, c.passwd,
		"env")
	words = append(append(append(words, entry...), c.program), args...)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = append([]string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + c.home}, own...)
	cmd.Dir = "/"
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return out.String(), errs.String()
}

// What lasts lies where the user says: passwd(5), and a variable only where the process that starts mcp-sandbox has the
// same one. Both the launcher and its shim go by that.
func TestUsersPlaces(t *testing.T) {
	c := newClient(t)
	own, other := t.TempDir(), t.TempDir()
	line := " is not used: the process that started mcp-sandbox does not have this value: "
	for _, row := range []struct {
		name         string
		users, entry []string // variables of the client, and those that it adds
		data, state  string   // folders
		told         string
	}{
		{"nothing", nil, nil, ".local/share", ".local/state", ""},
		{"the user's", []string{"XDG_DATA_HOME=" + own, "XDG_STATE_HOME=" + own + "/s"}, nil, own, own + "/s", ""},
		{"an entry's", nil, []string{"XDG_DATA_HOME=" + own, "XDG_STATE_HOME=" + own + "/s"}, ".local/share", ".local/state",
			"XDG_DATA_HOME" + line + "packages are kept below " + c.home + "/.local/share\n"},
		{"another in the entry", []string{"XDG_DATA_HOME=" + own}, []string{"XDG_DATA_HOME=" + other}, ".local/share",
			".local/state", "XDG_DATA_HOME" + line},
		{"not absolute", []string{"XDG_DATA_HOME=own"}, nil, ".local/share", ".local/state", ""},
		{"the default", nil, []string{"XDG_DATA_HOME=" + c.home + "/.local/share"}, ".local/share", ".local/state", ""},
		{"a home of an entry's", nil, []string{"HOME=" + other}, ".local/share", ".local/state", ""},
	} {
		for _, dir := range []string{c.home, own, other} {
			empty(t, dir)
		}
		_, errs := c.start(t, row.users, row.entry, "store", "list")
		_, more := c.start(t, row.users, row.entry, "run", "--state", "acme", "--", "true")
		if (row.told == "" && errs != "") || !strings.Contains(errs, row.told) || strings.Count(errs, line) > 1 {
			t.Errorf("%s: store list says %q", row.name, errs)
		}
		stateIgnored := row.name == "an entry's"
		if strings.Contains(more, "XDG_STATE_HOME"+line) != stateIgnored || strings.Contains(more, "refused") {
			t.Errorf("%s: run says %q", row.name, more)
		}
		var want []string
		for at, name := range map[string]string{row.data: "store", row.state: "reports"} {
			if !filepath.IsAbs(at) {
				at = filepath.Join(c.home, at)
			}
			want = append(want, filepath.Join(at, "mcp-sandbox", name))
		}
		for _, at := range want {
			if _, err := os.Stat(at); err != nil {
				t.Errorf("%s: %v\n%s%s", row.name, err, errs, more)
			}
		}
		if found := made(t, c.home, own, other); len(found) != len(want)+1 { // and the home of acme
			t.Errorf("%s: made %q", row.name, found)
		}
	}
}

// empty removes what lies in a folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// made are the folders of mcp-sandbox below some others.
func made(t *testing.T, dirs ...string) (all []string) {
	t.Helper()
	for _, dir := range dirs {
		for _, pattern := range []string{"", "*/", "*/*/"} {
			found, err := filepath.Glob(filepath.Join(dir, pattern, "mcp-sandbox", "*"))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found...)
		}
	}
	return all
}

// A proxy that the client's own environment has not is told of by its address alone, on standard error and in the
// report, however many other lines there are; the client's own is not.
func TestUsersProxy(t *testing.T) {
	c := newClient(t)
	const proxy = "HTTPS_PROXY=http://ann:mellon@127.0.0.1:1"
	said := "the proxy 127.0.0.1:1 of HTTPS_PROXY: the process that started mcp-sandbox does not have this value"
	variables := []string{proxy}
	for i := range 6 {
		variables = append(variables, fmt.Sprintf("PATH_%d=%s/none/%[1]d", i, c.home))
	}
	type row struct {
		flags        []string
		users, entry []string
		want         string
	}
	rows := []row{
		{[]string{"--allow-domain", "api.example.com"}, nil, []string{proxy}, "mcp-sandbox: hosts are reached by " + said + "\n"},
		{[]string{"--level", "network"}, nil, []string{proxy}, "mcp-sandbox: the server is told of " + said + "\n"},
		{[]string{"--allow-domain", "api.example.com", "--env", "PATH_*", "--memory", "17M"}, nil, variables, "mcp-sandbox: hosts are reached by " + said + "\n"},
		{[]string{"--allow-domain", "api.example.com"}, []string{proxy}, nil, ""},
		{[]string{"--level", "network"}, []string{proxy}, nil, ""},
		{[]string{"--quiet", "--level", "network"}, nil, []string{proxy}, ""},
		{nil, nil, []string{proxy}, ""},
		{[]string{"--min-confinement", "reduced", "--allow-domain", "api.example.com"}, nil, []string{proxy}, "mcp-sandbox: hosts are reached by " + said + "\n"},
	}
	if uid := strconv.Itoa(os.Getuid()); uid != "0" { // the only user of a namespace of root's own is root, which is none for a server
		reduced := []string{proxy, "unshare", "--user", "--map-user=" + uid, "--map-group=" + uid, "--keep-caps", "sh", "-c",
			`echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"`, "sh"}
		rows = append(rows, row{[]string{"--min-confinement", "reduced", "--allow-domain", "api.example.com"}, nil, reduced, ""})
	}
	for _, row := range rows {
		report := filepath.Join(t.TempDir(), "report")
		words := append([]string{"run", "--report", report}, row.flags...)
		_, errs := c.start(t, row.users, row.entry, append(words, "--", "true")...)
		text, err := os.ReadFile(report)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(errs, said) != (row.want != "") || !strings.Contains(errs, row.want) || strings.Contains(errs+string(text), "mellon") {
			t.Errorf("%q: %q", row.flags, errs)
		}
		noted := strings.Contains(string(text), `{"kind":"network","name":"HTTPS_PROXY","flag":""}`)
		if noted != (row.want != "" || slices.Contains(row.flags, "--quiet")) {
			t.Errorf("%q: report %s", row.flags, text)
		}
	}
}
