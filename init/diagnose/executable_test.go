package diagnose

import (
	"encoding/binary"
	"strings"
	"testing"
)

// elfFile is the beginning of a file of ELF with one segment behind another, the second of which names a loader.
func elfFile(machine uint16, loader string, alter func([]byte)) []byte {
	b := make([]byte, 64+2*56+len(loader)+1)
	copy(b, "\x7fELF\x02\x01\x01")
	binary.LittleEndian.PutUint16(b[18:], machine)
	binary.LittleEndian.PutUint64(b[32:], 64)
	binary.LittleEndian.PutUint16(b[56:], 2)
	second := b[64+56:]
	binary.LittleEndian.PutUint32(second, 3)
	binary.LittleEndian.PutUint64(second[8:], 64+2*56)
	binary.LittleEndian.PutUint64(second[32:], uint64(len(loader)+1))
	copy(b[64+2*56:], loader)
	if alter != nil {
		alter(b)
	}
	return b
}

// What people copy to a machine and cannot start is named, with what to do.
func TestUnexecutable(t *testing.T) {
	const musl = "/lib/ld-musl-x86_64.so.1"
	here := elfFile(62, musl, nil)
	big := func(b []byte) { b[5], b[18], b[19] = 2, 0, 22 }
	for _, c := range []struct {
		file, head, want string
		there            bool
	}{
		{"s", string(elfFile(183, "/lib/ld.so", nil)), "a program for arm64, and this machine is amd64: take the one for amd64", false},
		{"s", string(elfFile(0, "", big)), "a program for s390x", false},
		{"s", "\x7fELF\x01\x01" + strings.Repeat("\x00", 12) + "\x28\x00" + strings.Repeat("\x00", 44), "a program for arm, ", false},
		{"s", string(here), "its loader " + musl + " is not there", false},
		{"s", string(here), "its loader " + musl + " is not visible inside: --allow-read " + musl, true},
		{"s", string(elfFile(62, "", nil)), "", false},
		{"s", string(elfFile(62, musl, func(b []byte) { binary.LittleEndian.PutUint64(b[32:], 1<<64-8) })), "", false},
		{"s", string(elfFile(62, musl, func(b []byte) { binary.LittleEndian.PutUint64(b[64+56+8:], 1<<63) })), "", false},
		{"s", string(elfFile(62, musl, func(b []byte) { binary.LittleEndian.PutUint64(b[64+56+32:], 1<<64-1) })), "", false},
		{"s", string(here[:63]), "", false},
		{"s", "\xcf\xfa\xed\xfe\x0c", "for macOS", false}, {"s", "\xca\xfe\xba\xbe\x00\x00\x00\x02", "for macOS", false},
		{"s.exe", "MZ\x90", "for Windows", false}, {"S.class", "\xca\xfe\xba\xbe\x00\x00\x00\x41", "class of Java", false},
		{"s.jar", "PK\x03\x04", "java -jar", false}, {"s.gz", "\x1f\x8b\x08", "unpack it", false},
		{"s", "version https://git-lfs.github.com/spec/v1\n", "git lfs pull", false},
		{"s", "\xef\xbb\xbf#!/bin/sh\n", "byte order mark", false}, {"s", "{\n", "it is JSON", false},
		{"s", "\n <!DOCTYPE html>", "a web page", false}, {"s", "<HTML>", "a web page", false},
		{"/srv/my server.js", "console.log(1)\n", "(node)", false}, {"s.py", "import os\n", "(python3)", false},
		{"n", "echo hello\n", "(sh)", false}, {"n", "#!/bin/sh\n", "", false}, {"n", "a\x00b", "", false}, {"n", "", "it is empty", false},
	} {
		got := Unexecutable(c.file, []byte(c.head), "amd64", func(string) bool { return c.there })
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s, %.20q: %q, want %q", c.file, c.head, got, c.want)
		}
	}
	if got := Unexecutable("s", nil, "amd64", nil); got != "" {
		t.Errorf("of what nobody may read: %q", got)
	}
	for i := range here { // whatever else stands in a file
		for _, v := range []byte{0, 1, 0x7f, 0x80, 0xff} {
			b := append([]byte{}, here...)
			b[i] = v
			Unexecutable("s", b, "amd64", func(string) bool { return false })
		}
	}
}
