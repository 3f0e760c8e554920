package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestMissing(t *testing.T) {
	for _, c := range []struct{ without, want string }{
		{"qemu-system-x86_64 xz", "qemu-system-x86 xz-utils"},
		{"/usr/lib/qemu/virtiofsd", "qemu-system-common"},
		{"/usr/share/dbus-1/system.conf /usr/bin/dbus-daemon", "dbus"},
		{"", ""},
	} {
		have := func(file string) bool { return !slices.Contains(strings.Fields(c.without), file) }
		if got := strings.Join(missing(have), " "); got != c.want {
			t.Errorf("without %q: %q, want %q", c.without, got, c.want)
		}
	}
	if got := missing(func(string) bool { return false }); len(got) != 12 {
		t.Errorf("with nothing: %q", got)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !have(self) || !have("go") || have("/nowhere/at/all") || have("no-such-program") {
		t.Error("what is there is not found, or what is not is")
	}
}
