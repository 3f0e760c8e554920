package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A keeper is a user with a home of the test's own.
type keeper struct {
	t    *testing.T
	home string
}

func newKeeper(t *testing.T) keeper {
	t.Helper()
	home := testbed.Folder(t)
	if err := os.Chmod(home, 0o755); err != nil { // where others may write nothing is kept
		t.Fatal(err)
	}
	return keeper{t, home}
}

func (k keeper) reports() string { return k.home + "/.local/state/mcp-sandbox/reports" }

func (k keeper) command(args ...string) *exec.Cmd {
	k.t.Helper()
	self, err := os.Executable()
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Args = append([]string{"mcp-sandbox"}, args...)
	cmd.Env, cmd.Dir = []string{"HOME=" + k.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", testbed.NoWait}, "/"
	return cmd
}

// names are the kept reports.
func (k keeper) names() []string {
	k.t.Helper()
	entries, err := os.ReadDir(k.reports())
	if err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// No server reads, writes, lists or replaces the kept reports, whatever it is granted around them, also in the first
// launch of all, which makes their folder.
func TestKeptReportsAreHidden(t *testing.T) {
	for _, flags := range [][]string{{"--allow-read", "~"}, {"--allow-write", "~"}, {"--allow-write", "~/.local/state"}, {"--fs-default", "read"},
		{"--allow-read", "~/.local/state"}, {"--fs-default", "read", "--allow-write", "~/.local"}} {
		for _, first := range []bool{true, false} {
			t.Run(strings.Join(flags, " ")+" first="+strconv.FormatBool(first), func(t *testing.T) {
				// Not in /tmp, which no server sees. A server of root's is another user, and may write here too.
				home, err := os.MkdirTemp("/var/tmp", "mcp-sandbox-kept-")
				if err != nil {
					t.Fatal(err)
				}
				defer os.RemoveAll(home)
				k := keeper{t, home}
				beside := k.home + "/.local/state/beside"
				if err := os.MkdirAll(beside, 0o755); err != nil {
					t.Fatal(err)
				}
				for _, open := range []string{"", "/.local", "/.local/state"} {
					if err := os.Chmod(home+open, 0o777|os.ModeSticky); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.WriteFile(beside+"/f", []byte("beside\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				if !first {
					if out, err := k.command("run", "--", "true").CombinedOutput(); err != nil {
						t.Fatal(err, string(out))
					}
				}
				// The server waits until its own report has been made.
				script := `cat ` + beside + `/f; cd ` + k.home + `/.local/state; read go; ls -A mcp-sandbox/reports | wc -l
cat mcp-sandbox/reports/*; for f in mcp-sandbox/reports/x mcp-sandbox/x; do { echo forged >$f; } && echo wrote; done
mv mcp-sandbox/reports mcp-sandbox/old && echo moved; mv mcp-sandbox old && echo moved; rmdir mcp-sandbox/reports && echo removed; true`
				cmd := k.command(append(append([]string{"run"}, flags...), "--", "sh", "-c", script)...)
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				var out, errs bytes.Buffer
				cmd.Stdout, cmd.Stderr = &out, &errs
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				want := 2
				if first {
					want = 1
				}
				testbed.Await(t, "the server's own report", func() bool {
					entries, err := os.ReadDir(k.reports())
					return err == nil && len(entries) == want
				})
				io.WriteString(in, "\n")
				in.Close()
				if err := cmd.Wait(); err != nil || out.String() != "beside\n0\n" {
					t.Errorf("%v, %q\n%s", err, out.String(), errs.String())
				}
				for _, name := range k.names() {
					text, err := os.ReadFile(k.reports() + "/" + name)
					if err != nil || bytes.Contains(text, []byte("\nforged")) || !bytes.Contains(text, []byte(`"exited"`)) {
						t.Errorf("%s: %v\n%s", name, err, text)
					}
				}
			})
		}
	}
}

// A launcher that is killed leaves a report that can be read, and mcp-sandbox-init leaves none.
func TestKilledRunLeavesAReport(t *testing.T) {
	k := newKeeper(t)
	cmd := k.command("run", "--", "sh", "-c", "unshare -U true; echo up; read -r never")
	_, err := cmd.StdinPipe() // open for as long as the server is to stay
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	testbed.Await(t, "a report of unshare", func() bool {
		names, err := filepath.Glob(k.reports() + "/*")
		if err != nil || len(names) != 1 {
			return false
		}
		text, _ := os.ReadFile(names[0])
		return bytes.Contains(text, []byte("unshare\",\""))
	})
	cmd.Process.Kill()
	cmd.Wait()
	why := k.command("why")
	text, _ := why.Output()
	if why.ProcessState.ExitCode() != 1 || !bytes.Contains(text, []byte("unshare")) || !bytes.Contains(text, []byte("has no last line")) {
		t.Errorf("%d, %s", why.ProcessState.ExitCode(), text)
	}
}

// Many launches at once keep their reports, each its own, and no more than twenty in the end.
func TestManyKeptAtOnce(t *testing.T) {
	k := newKeeper(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 7 {
				if out, err := k.command("run", "--", "sh", "-c", "unshare -U true; true").CombinedOutput(); err != nil {
					t.Error(err, string(out))
				}
			}
		})
	}
	all.Wait()
	names := k.names()
	if len(names) != 20 {
		t.Errorf("%d reports", len(names))
	}
	for _, name := range names {
		text, err := os.ReadFile(k.reports() + "/" + name)
		if err != nil || bytes.Count(text, []byte("\n")) != 3 {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
	}
}
