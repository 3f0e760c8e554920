package launcher_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A first line of any length reaches its host: of many repositories each is named.
func TestLongReport(t *testing.T) {
	folder := testbed.Folder(t)
	const repositories = 400
	for i := range repositories {
		if err := os.MkdirAll(filepath.Join(folder, strings.Repeat("a-long-name-", 10)+strconv.Itoa(i), ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := policy.Policy{Filesystem: policy.Filesystem{AllowWrite: []string{folder}}}
	sb, err := launcher.Command(t.Context(), p, launcher.Target{Path: "/bin/sh", Args: []string{"-c", "read line; exit 4"}, Dir: "/"})
	if err != nil {
		t.Fatal(err)
	}
	defer sb.Close()
	in, err := sb.Cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := sb.Cmd.Start(); err != nil {
		t.Fatal(err)
	}
	report, err := sb.Report(within(t)) // while the server lives
	if err != nil {
		t.Fatal(err)
	}
	if b := report.AppendJSON(nil); len(report.Protected) < repositories || len(b) < 64<<10 {
		t.Errorf("%d protected, %d bytes", len(report.Protected), len(b))
	}
	in.Close()
	if end, err := sb.Wait(within(t)); err != nil || end.ExitCode != 4 {
		t.Errorf("%+v, %v", end, err)
	}
	sb.Cmd.Wait()
}
