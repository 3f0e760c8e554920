package withheld

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// A limit that a person named, and strict's own memory, have a line where the runtime cannot start with them.
func TestShortages(t *testing.T) {
	dir := t.TempDir()
	put := func(at, text string) {
		t.Helper()
		at = filepath.Join(dir, at)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"new/bin/node", "old/bin/node", "bare/bin/node", "new/bin/deno", "new/bin/server"} {
		put(program, "x")
	}
	put("new/include/node/node_version.h", "#define NODE_MAJOR_VERSION 24\n")
	put("old/include/node/node_version.h", "#define NODE_MAJOR_VERSION 22\n")
	pids := order.Guide{Named: []order.Named{{Key: "limits.pids", Written: "--pids"}}}
	memory := order.Guide{Named: []order.Named{{Key: "limits.memory", Written: "--memory"}}}
	for _, c := range []struct {
		program string
		level   policy.Level
		guide   order.Guide
		limits  policy.Limits
		kind    order.NoticeKind
		line    string
	}{
		{"new/bin/node", policy.Strict, order.Guide{}, policy.Limits{}, order.NoticeData, "level strict has memory 512M"},
		{"old/bin/node", policy.Strict, order.Guide{}, policy.Limits{}, "", ""},
		{"bare/bin/node", policy.Strict, order.Guide{}, policy.Limits{}, "", ""},
		{"new/bin/deno", policy.Strict, order.Guide{}, policy.Limits{}, order.NoticeData, "level strict has memory 512M"},
		{"new/bin/server", policy.Strict, order.Guide{}, policy.Limits{}, "", ""},
		{"new/bin/node", policy.Standard, order.Guide{}, policy.Limits{}, "", ""},
		{"new/bin/node", policy.Strict, memory, policy.Limits{Memory: 640 << 20}, "", ""},
		{"old/bin/node", policy.Standard, pids, policy.Limits{Pids: 4}, order.NoticeLimit, "--pids 4 is less than node"},
		{"old/bin/node", policy.Standard, memory, policy.Limits{Memory: 32 << 20}, order.NoticeData, "--memory 32M is less"},
	} {
		p := policy.Policy{Level: c.level, Limits: c.limits}.Effective(policy.Run)
		all := shortages(&order.Order{Command: []string{filepath.Join(dir, c.program)}, Guide: c.guide}, &p)
		switch {
		case c.line == "" && len(all) > 0:
			t.Errorf("%s %s: %+v", c.program, c.level, all)
		case c.line != "" && (len(all) != 1 || all[0].Kind != c.kind || !strings.HasPrefix(all[0].Line, c.line)):
			t.Errorf("%s %s: %+v, want %s", c.program, c.level, all, c.line)
		}
	}
}
