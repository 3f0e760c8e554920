package pipeline

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/cli"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Each key has its flag, and each flag a key. What envVars holds, --env adds.
func TestOneFlagForEachKey(t *testing.T) {
	flags := map[string]int{}
	for _, f := range KeyFlags() {
		if f.Key == "" {
			continue
		}
		if !slices.Contains(policy.Keys(), f.Key) {
			t.Errorf("%s: %s is no key", f.Flag(), f.Key)
		}
		if f.always == "" || f.Key == "network.checkServerName" { // of which true is the default at every level
			flags[f.Key]++
		}
	}
	for _, key := range policy.Keys() {
		want := 1
		if key == "envVars" {
			want = 0
		}
		if flags[key] != want {
			t.Errorf("%s has %d flags, want %d", key, flags[key], want)
		}
	}
}

// Every flag of the table exists, and the help tells of it.
func TestEveryFlagExists(t *testing.T) {
	o := cli.NewFlags()
	ForLaunch(o)
	for _, f := range KeyFlags() {
		name := strings.TrimPrefix(f.Flag(), "--")
		told := slices.ContainsFunc(o.Lines, func(l cli.Line) bool { return l.Name == name })
		if _, err := o.Parse([]string{f.Flag()}); f.Key != "" && (!told || err != nil && strings.Contains(err.Error(), "unknown flag")) {
			t.Errorf("--%s: in the help: %v, %v", name, told, err)
		}
	}
}

// Both kinds of switch work.
func TestSwitches(t *testing.T) {
	o := cli.NewFlags()
	l := New(o)
	for _, f := range KeyFlags() {
		if f.Key == "subprocess.allow" || f.Key == "network.allowPrivate" || f.Key == "network.checkServerName" {
			l.add(&f)
		}
	}
	if _, err := o.Parse([]string{"--no-check-server-name=false"}); err == nil || err.Error() != "--no-check-server-name: takes no value" {
		t.Errorf("got %v", err)
	}
	if _, err := o.Parse([]string{"--subprocess", "--allow-private=false", "--no-subprocess", "--allow-private"}); err != nil {
		t.Fatal(err)
	}
	want := []launchflags.Setting{{Flag: "--subprocess", Key: "subprocess.allow", Value: "true"}, {Flag: "--allow-private", Key: "network.allowPrivate", Value: "false"},
		{Flag: "--no-subprocess", Key: "subprocess.allow", Value: "false"}, {Flag: "--allow-private", Key: "network.allowPrivate", Value: "true"}}
	if !slices.Equal(l.Settings, want) {
		t.Errorf("got %v, want %v", l.Settings, want)
	}
	for _, bad := range []string{"--no-subprocess=true", "--no-subprocess=false=", "--subprocess=maybe", "--allow-private=", "--subprocess=True"} {
		if _, err := o.Parse([]string{bad}); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}

// Many flags of one key take memory in proportion to their number. A list that each flag copied would take 6 GB here.
func TestManyFlags(t *testing.T) {
	const count, most = 20_000, 200 << 20
	for _, flag := range []string{"--deny-read=-a", "--env=A", "--env=A=b"} {
		o := cli.NewFlags()
		l := ForLaunch(o)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := o.Parse(slices.Repeat([]string{flag}, count)); err != nil {
			t.Fatal(err)
		}
		p, why := l.Policy("/", "/")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%d times %s took %d bytes, want at most %d", count, flag, got, most)
		}
		if len(why) > 0 || len(p.Filesystem.DenyRead)+len(p.EnvVars) != count && len(p.Env) != 1 {
			t.Errorf("%s: %d paths, %d names, %d variables, %q", flag, len(p.Filesystem.DenyRead), len(p.EnvVars), len(p.Env), why)
		}
	}
}
