package main

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/security-mcp/mcp-sandbox/cmd/internal/launchflags"
	"github.com/security-mcp/mcp-sandbox/cmd/internal/mcphosts/edit"
	"github.com/security-mcp/mcp-sandbox/policy"
)

// Each key has its flag, and each flag a key. What envVars holds, --env adds.
func TestOneFlagForEachKey(t *testing.T) {
	flags := map[string]int{}
	for _, f := range policyFlags() {
		if f.name == "" {
			continue
		}
		if !slices.Contains(policy.Keys(), f.key) {
			t.Errorf("--%s: %s is no key", f.name, f.key)
		}
		if f.always == "" || f.key == "network.checkServerName" { // of which true is the default at every level
			flags[f.key]++
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
	o := launchOptions()
	for _, f := range policyFlags() {
		told := slices.ContainsFunc(o.lines, func(l line) bool { return l.name == f.name })
		if f.name != "" && (o.set.Lookup(f.name) == nil || !told) {
			t.Errorf("--%s exists: %v, in the help: %v", f.name, o.set.Lookup(f.name) != nil, told)
		}
	}
}

// The contract names every flag; nothing else gets in unseen.
func TestNoOtherFlag(t *testing.T) {
	own := []string{"policy", "policy-fd", "report", "report-fd", "verbose", "quiet", "tty", "stdout-guard", "env-file",
		"profile", "min-age", "scripts", "registry-auth", "registry-from-project", "install-size"}
	for _, l := range runOptions().lines {
		if l.name != "" && l.here() && !slices.Contains(own, l.name) &&
			!slices.ContainsFunc(policyFlags(), func(f policyFlag) bool { return f.name == l.name }) {
			t.Errorf("--%s is in no table", l.name)
		}
	}
}

// unwrap takes flags of run out of an entry: each is one, with a value or without.
func TestFlagsOfEntries(t *testing.T) {
	for _, name := range strings.Fields(edit.Valued + edit.Bare) {
		o := runOptions()
		_, err := o.parse([]string{name})
		if takes := err != nil; o.set.Lookup(name[len("--"):]) == nil || takes != strings.Contains(edit.Valued, " "+name+" ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Both kinds of switch work.
func TestSwitches(t *testing.T) {
	o := newOptions()
	for _, f := range policyFlags() {
		if f.key == "subprocess.allow" || f.key == "network.allowPrivate" {
			o.addFlag(&f)
		}
	}
	for _, f := range policyFlags() {
		if f.key == "network.checkServerName" {
			o.addFlag(&f)
		}
	}
	if _, err := o.parse([]string{"--no-check-server-name=false"}); err == nil || err.Error() != "--no-check-server-name: takes no value" {
		t.Errorf("got %v", err)
	}
	if _, err := o.parse([]string{"--subprocess", "--allow-private=false", "--no-subprocess", "--allow-private"}); err != nil {
		t.Fatal(err)
	}
	want := []launchflags.Setting{{Flag: "--subprocess", Key: "subprocess.allow", Value: "true"}, {Flag: "--allow-private", Key: "network.allowPrivate", Value: "false"},
		{Flag: "--no-subprocess", Key: "subprocess.allow", Value: "false"}, {Flag: "--allow-private", Key: "network.allowPrivate", Value: "true"}}
	if !slices.Equal(o.Settings, want) {
		t.Errorf("got %v, want %v", o.Settings, want)
	}
	for _, bad := range []string{"--no-subprocess=true", "--no-subprocess=false=", "--subprocess=maybe", "--allow-private=", "--subprocess=True"} {
		if _, err := o.parse([]string{bad}); err == nil {
			t.Errorf("%s is no error", bad)
		}
	}
}

// Many flags of one key take memory in proportion to their number. A list that each flag copied would take 6 GB here.
func TestManyFlags(t *testing.T) {
	const count, most = 20_000, 200 << 20
	for _, flag := range []string{"--deny-read=-a", "--env=A", "--env=A=b"} {
		o := launchOptions()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := o.parse(slices.Repeat([]string{flag}, count)); err != nil {
			t.Fatal(err)
		}
		p, why := o.Policy("/", "/")
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%d times %s took %d bytes, want at most %d", count, flag, got, most)
		}
		if len(why) > 0 || len(p.Filesystem.DenyRead)+len(p.EnvVars) != count && len(p.Env) != 1 {
			t.Errorf("%s: %d paths, %d names, %d variables, %q", flag, len(p.Filesystem.DenyRead), len(p.EnvVars), len(p.Env), why)
		}
	}
}
