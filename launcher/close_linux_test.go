package launcher_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/launcher"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The SDKs' own way to end a session leaves nothing and takes no longer than without a sandbox: the shortest of some
// sessions, a fifth and half a second more at most; a busy machine gets more of them, and waiting for a signal is never
// short. server-everything is closed after its roots/list, see drive_linux_test.go.
func TestCloseOfSDKs(t *testing.T) {
	dir, least := testbed.Folder(t), 3
	if testing.Short() {
		least = 1
	}
	for i, s := range subjects(t, dir) {
		if testing.Short() && i > 0 {
			break
		}
		t.Run(s.Name, func(t *testing.T) {
			words := s.Command(t)
			s.Calls = s.Calls[:1]
			mark := "sdk-" + s.Name
			fs := map[string][]string{"allowWrite": {dir}}
			if s.Name != "server-go" {
				fs["allowRead"] = []string{testbed.Modules(t)}
			}
			doc, err := json.Marshal(map[string]any{"version": 1, "filesystem": fs, "env": map[string]string{"TEST_SESSION": mark}})
			if err != nil {
				t.Fatal(err)
			}
			p, err := policy.Parse(doc)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "policy.json")
			if err := os.WriteFile(file, doc, 0o600); err != nil {
				t.Fatal(err)
			}
			confined := append([]string{testbed.Command(t, "mcp-sandbox-init"), "--policy", file, "--"}, words...)
			bare, boxed := []time.Duration{}, []time.Duration{}
			tsBare, tsBoxed := []time.Duration{}, []time.Duration{}
			for n := range 12 {
				if n >= least && near(bare, boxed) && near(tsBare, tsBoxed) {
					break
				}
				ctx, cancel := context.WithTimeout(t.Context(), testbed.Patience())
				bare = append(bare, s.Go(ctx, t, exec.Command(words[0], words[1:]...)).Close)
				sb, err := launcher.Command(ctx, p, launcher.Target{Path: words[0], Args: words[1:], Dir: "/"})
				if err != nil {
					t.Fatal(err)
				}
				sb.Cmd.Env = append(sb.Cmd.Env, testbed.NoWait)
				boxed = append(boxed, s.Go(ctx, t, sb.Cmd).Close)
				nothingLeft(t, mark)
				tsBare = append(tsBare, s.TypeScript(ctx, t, words).Close)
				tsBoxed = append(tsBoxed, s.TypeScript(ctx, t, confined).Close)
				nothingLeft(t, mark)
				cancel()
			}
			compare(t, "go", bare, boxed)
			compare(t, "typescript", tsBare, tsBoxed)
		})
	}
}

// nothingLeft waits until no process has mark in its environment.
func nothingLeft(t *testing.T, mark string) {
	t.Helper()
	var left []string
	if !testbed.Comes(func() bool {
		left = nil
		environments, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range environments {
			if text, _ := os.ReadFile(path); strings.Contains(string(text), "TEST_SESSION="+mark) {
				left = append(left, path)
			}
		}
		return len(left) == 0
	}) {
		t.Errorf("left by the session: %v", left)
	}
}

// near reports whether the shortest of some sessions are as short as they have to be. server-everything alone takes from
// 60 to 330 ms to end; what a wrong end would add is a time that somebody waits for, a second or more.
func near(bare, confined []time.Duration) bool {
	return slices.Min(confined) <= slices.Min(bare)*6/5+500*time.Millisecond
}

func compare(t *testing.T, sdk string, bare, confined []time.Duration) {
	t.Helper()
	b, c := slices.Min(bare), slices.Min(confined)
	t.Logf("%s: close %.1f ms bare, %.1f ms confined", sdk, b.Seconds()*1000, c.Seconds()*1000)
	if !near(bare, confined) {
		t.Errorf("%s: %s to close, %s without a sandbox", sdk, c, b)
	}
}
