package escape_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// TestSocketsOfHomes: sockets have to be expected in the launcher's homes and in its folder for runtimes, whatever
// HOME the policy gives the server. Then the family is refused, and elsewhere it is not.
func TestSocketsOfHomes(t *testing.T) {
	if landlockABI(t) >= 9 {
		t.Log("Landlock holds them")
		return
	}
	s := stage(t)
	const refused = "EAFNOSUPPORT"
	const grant = `{"version":1,"filesystem":{"allowRead":["STAGE/home"]},"env":{"HOME":"/nonexistent"}}`
	for _, c := range []struct{ name, shown, env, errno string }{
		{"no home", "/mnt", "HOME=/nonexistent", "EACCES"},
		{"the launcher's home", "/mnt", "HOME=/mnt/home", refused},
		{"above it", "/mnt", "HOME=/mnt/home/deep/er", refused},
		{"below it", "/mnt", "HOME=/mnt", "EACCES"},
		{"the folder for runtimes", "/mnt", "XDG_RUNTIME_DIR=/mnt/home", refused},
		{"below that", "/mnt", "XDG_RUNTIME_DIR=/mnt", refused},
		{"the system's", "/run", "HOME=/nonexistent", refused},
		{"temporary files", "/var/tmp", "HOME=/nonexistent", refused},
	} {
		inside := &scene{dir: c.shown, words: strings.NewReplacer(), machine: testbed.Machine{At: s.dir, Shown: c.shown}}
		cmd := inside.acting(t, level{name: c.name, doc: grant}, "unix "+c.shown+"/home/socket")
		cmd.Env = []string{c.env, "PATH=/usr/bin:/bin", testbed.NoWait}
		cmd.Stdin = session(t)
		out, err := cmd.Output()
		if all := results(t, string(out)); err != nil || len(all) != 1 || all[0].OK || all[0].Errno != c.errno {
			t.Errorf("%s: %+v, %v, want %s", c.name, all, err, c.errno)
		}
	}
	passwd := s.dir + "/passwd"
	for home, refuse := range map[string]bool{"/var/none": false, "/var/lib": true, "/var/lib/x": true} {
		line := "me:x:" + strconv.Itoa(os.Getuid()) + ":1::" + home + ":/bin/sh\n"
		if err := os.WriteFile(passwd, []byte(line), 0o644); err != nil {
			t.Fatal(err)
		}
		inside := &scene{words: strings.NewReplacer(), machine: testbed.Machine{At: passwd, Shown: "/etc/passwd"}}
		cmd := inside.acting(t, level{doc: `{"version":1,"filesystem":{"allowRead":["/var/lib"]}}`}, "socket 1 1 0")
		cmd.Env, cmd.Stdin = []string{"HOME=/nonexistent", "PATH=/usr/bin:/bin", testbed.NoWait}, session(t)
		out, err := cmd.Output()
		if all := results(t, string(out)); err != nil || len(all) != 1 || all[0].OK == refuse || refuse && all[0].Errno != refused {
			t.Errorf("home %s in /etc/passwd: %+v, %v", home, all, err)
		}
	}
}

// TestFilesOfHomes: where the launcher's home can be written, what a shell or a host executes at its next start cannot.
func TestFilesOfHomes(t *testing.T) {
	s := stage(t)
	names := []string{".bashrc", ".claude.json", "note"}
	act := ""
	for _, name := range names {
		file := s.dir + "/write/" + name
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, 0o666); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		act += "-- append S/write/" + name + " "
	}
	for home, is := range map[string]bool{s.dir + "/write": true, "/nonexistent": false} {
		cmd := s.acting(t, level{name: home, doc: `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]}}`}, act)
		cmd.Env, cmd.Stdin = []string{"HOME=" + home, "PATH=/usr/bin:/bin", testbed.NoWait}, session(t)
		out, err := cmd.Output()
		all := results(t, string(out))
		if err != nil || len(all) != len(names) {
			t.Fatalf("%v, %+v", err, all)
		}
		for i, r := range all {
			if refused := is && names[i] != "note"; r.OK == refused || refused && r.Errno != "EROFS" && r.Errno != "EACCES" {
				t.Errorf("home %s: append to %s: %+v", home, names[i], r)
			}
		}
	}
}
