//go:build darwin || linux

package basic

import (
	"strings"
	"testing"
)

// alter takes away one limit, by name, or makes it larger.
func alter(h *Hold, name string) {
	name, more := strings.CutPrefix(name, "more ")
	for i := range h.Limits {
		if h.Limits[i].Name == name && more {
			h.Limits[i].Value++
		}
		if h.Limits[i].Name == name && !more {
			h.Limits = append(h.Limits[:i], h.Limits[i+1:]...)
			return
		}
	}
}

// breakaway is of Windows.
func breakaway() string { return "" }

// A limit that is not set is noticed: what was read back is compared with what follows from the policy.
func TestRemovedLimitIsNoticed(t *testing.T) {
	for _, name := range []string{"core", "open files", "data", "more open files", "more data"} {
		r := trial{Serve: []string{"exit", "0"}, Remove: name}.launch(t)
		if _, code, first, _ := r.all(t); code != 125 || first != nil {
			t.Errorf("without %s: status %d, want a refused launch\n%s", name, code, r.errs.String())
		}
	}
}

// lives reports whether a process does more than wait for its parent to reap it.
func lives(pid int) bool {
	table, err := processes()
	if err != nil {
		return true
	}
	for _, p := range table {
		if p.pid == pid {
			return !p.dead
		}
	}
	return false
}
