package nearest

import "testing"

func TestOf(t *testing.T) {
	words := []string{"run", "plan", "allow-read", "allow-write", "deny-read", "deny-syscall", "env", "memory", "pids", "io"}
	for name, want := range map[string]string{
		"alow-read":     "allow-read",
		"allow-raed":    "allow-read",
		"Allow-Read":    "allow-read",
		"allow":         "allow-read",
		"read":          "allow-read",
		"syscall":       "deny-syscall",
		"mem":           "memory",
		"rum":           "run",
		"pid":           "pids",
		"y":             "",
		"op":            "",
		"xyz":           "",
		"":              "",
		"allow-nothing": "",
		"a-word-that-is-far-longer-than-any-of-these": "",
	} {
		if got := Of(name, words); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
	if got := Of("run", nil); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}
