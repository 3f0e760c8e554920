package applecontainer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// tool is a made-up container tool, which notes how it is called. Its inspect and its exec are the test's.
func tool(t *testing.T, inspect, exec string) (path, log string) {
	t.Helper()
	dir := t.TempDir()
	path, log = filepath.Join(dir, "container"), filepath.Join(dir, "log")
	script := `#!/bin/sh
echo "$1" >> ` + log + `
case $1 in
run) [ "$2" = --help ] && echo --mount --network --read-only --tmpfs --entrypoint ;;
inspect) cat <<'X'
` + inspect + `
X
;;
exec) ` + exec + ` ;;
esac
exit 0
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path, log
}

const plain = `[{"status":"running","networks":[],"configuration":{"mounts":[{"type":{"tmpfs":{}},"source":"tmpfs","destination":"/tmp","options":[]}],"networks":[]}}]`

func TestRun(t *testing.T) {
	networked := strings.Replace(plain, `"networks":[],"conf`, `"networks":[{"network":"default"}],"conf`, 1)
	mounted := strings.Replace(plain, `"mounts":[`, `"mounts":[{"source":"/etc","destination":"/etc","options":["ro"]},`, 1)
	for _, c := range []struct {
		name          string
		inspect, exec string
		limits        policy.Limits
		code          int
		calls, report string
	}{
		{"a server", plain, "exit 7", policy.Limits{}, 7, "system run run inspect exec delete", `"cause":"exit","exitCode":7`},
		{"a network that should not be", networked, "exit 0", policy.Limits{}, 125, "system run run inspect delete", `"layer":"network","op":"prove"`},
		{"a folder that should not be", mounted, "exit 0", policy.Limits{}, 125, "system run run inspect delete", `"layer":"root","op":"prove"`},
		{"an answer of another kind", `{}`, "exit 0", policy.Limits{}, 125, "system run run inspect delete", `"layer":"root","op":"inspect"`},
		{"an answer without what was asked", `[{}]`, "exit 0", policy.Limits{}, 125, "system run run inspect delete", `"layer":"root","op":"inspect"`},
		{"time", plain, "exec sleep 600", policy.Limits{Timeout: policy.Duration(time.Second), Grace: policy.Duration(time.Second)}, 124,
			"system run run inspect exec stop delete", `"cause":"timeout","exitCode":124`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path, log := tool(t, c.inspect, c.exec)
			p := policy.Policy{MinConfinement: policy.ConfinementLimits, Limits: c.limits}
			o, err := order.New(p, policy.Run, []string{"server"}, nil, "/")
			if err != nil {
				t.Fatal(err)
			}
			report := filepath.Join(t.TempDir(), "report")
			if o.ReportFD, err = platform.CreateReport(report); err != nil {
				t.Fatal(err)
			}
			var said []string
			code := Run(Config{Order: o, Image: "image", Tool: path, Say: func(s string) { said = append(said, s) }})
			calls, _ := os.ReadFile(log)
			told, _ := os.ReadFile(report)
			if got := strings.Join(strings.Fields(string(calls)), " "); code != c.code || got != c.calls {
				t.Errorf("status %d, want %d; calls %q, want %q\n%q", code, c.code, got, c.calls, said)
			}
			if !strings.Contains(string(told), c.report) {
				t.Errorf("report %s, want %s", told, c.report)
			}
		})
	}
}

// Without the tool's service, or without what is needed, nothing is started, so nothing is deleted.
func TestNoTool(t *testing.T) {
	dir := t.TempDir()
	for name, script := range map[string]string{"no service": "exit 1", "too old": "exit 0"} {
		path := filepath.Join(dir, "container")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n[ $1 = delete ] && touch "+dir+"/deleted\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		o, err := order.New(policy.Policy{MinConfinement: policy.ConfinementLimits}, policy.Run, []string{"server"}, nil, "/")
		if err != nil {
			t.Fatal(err)
		}
		if code := Run(Config{Order: o, Image: "image", Tool: path, Say: func(string) {}}); code != 125 {
			t.Errorf("%s: status %d", name, code)
		}
		if _, err := os.Stat(dir + "/deleted"); err == nil {
			t.Error(name, ": a machine was deleted that was never made")
		}
	}
}
