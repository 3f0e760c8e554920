package launcher

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestCapable(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n": true,
		"Name:\tx\nCapEff:\t00000000a80425fb\nSeccomp:\t2\n": false, // Docker's root
		"Name:\tx\nCapEff:\t0000000000200000\n":              true,  // this one alone
		"Name:\tx\nCapPrm:\t000001ffffffffff\n":              false,
		"CapEff:":                                            false,
	} {
		if capable(status, unix.CAP_SYS_ADMIN) != want {
			t.Errorf("%q: not %v", status, want)
		}
	}
}

func TestRootMounted(t *testing.T) {
	const root, proc = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n", "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	for table, want := range map[string]bool{root + proc: true, proc: false, "": false, "no table\n": true} {
		if rootMounted([]byte(table)) != want {
			t.Errorf("%q: not %v", table, want)
		}
	}
}

// A file is anybody's only if every folder above it is, too.
func TestOpenToAll(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "closed", "file")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if !openToAll("/bin/sh") || openToAll(file) || openToAll("/etc/passwd") || openToAll("/no/such") {
		t.Error("closed files are open, or open ones closed")
	}
}
