package launcher_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A denied file that the host replaces, renames away, or removes and makes again is denied again, in a launch without a
// shim too. The other file of the folder stays open.
func TestCoversAgain(t *testing.T) {
	for _, way := range []string{"", "shim"} {
		t.Run("by "+way, func(t *testing.T) {
			t.Setenv("MCP_SANDBOX_LAUNCH", way)
			coversAgain(t)
		})
	}
}

func coversAgain(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	denied, other := filepath.Join(dir, "denied"), filepath.Join(dir, "open")
	write(t, denied)
	write(t, other)
	p := policy.Policy{Filesystem: policy.Filesystem{AllowRead: []string{dir}, DenyRead: []string{denied}}}
	const script = `while read -r file; do if read -r line <"$file"; then echo open; else echo shut; fi 2>/dev/null; done`
	sb, err := launcher.Command(t.Context(), p, launcher.Target{Path: "/bin/sh", Args: []string{"-c", script}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := sb.Cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := sb.Report(within(t)); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	ask := func(file string) string {
		fmt.Fprintln(in, file)
		if !said.Scan() {
			x, err := sb.Wait(within(t))
			t.Fatalf("the server has ended: %v; %+v, %v", said.Err(), x, err)
		}
		return said.Text()
	}
	for i := range 30 {
		switch i % 3 {
		case 0:
			write(t, denied+".new")
			rename(t, denied+".new", denied)
		case 1:
			rename(t, denied, denied+".old")
			write(t, denied)
		case 2:
			os.Remove(denied)
			write(t, denied)
		}
		testbed.Await(t, "the cover over the new file", func() bool { return ask(denied) == "shut" })
		if got := ask(other); got != "open" {
			t.Fatal("control:", got)
		}
		// A host that changes the file again before that keeps one repair going, and loses its server after seconds.
		testbed.Await(t, "the end of the repair's runner", func() bool {
			return len(testbed.Children(sb.Cmd.Process.Pid)) == 1 // init
		})
	}
	in.Close()
	if x, err := sb.Wait(within(t)); err != nil || x.ExitCode != 0 {
		t.Errorf("%+v, %v", x, err)
	}
	sb.Cmd.Wait()
}

func write(t *testing.T, file string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Repeat("a line\n", 3)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}
