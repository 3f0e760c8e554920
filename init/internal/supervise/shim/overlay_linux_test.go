package shim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// overlayEnv is set in this test binary where /var/tmp is an overlayfs.
const overlayEnv = "MCP_SANDBOX_TEST_OVERLAY"

// On an overlayfs the table of what a process has in its memory names another device, or another inode, than stat does. What a
// server has mapped there is found all the same.
func TestPolicyLostOnOverlay(t *testing.T) {
	if os.Getenv(overlayEnv) != "" {
		if mapsAsStat(t) {
			testbed.Missing(t, "overlayfs", "this kernel's overlayfs names what is mapped as stat does")
		}
		mapped.ends(t)
		return
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestPolicyLostOnOverlay$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), overlayEnv+"=1")
	testbed.Machine{At: testbed.Folder(t), Shown: "/var/tmp", Overlay: true, Root: os.Geteuid() == 0}.Put(t, cmd)
	switch out, err := cmd.CombinedOutput(); {
	case strings.Contains(string(out), testbed.NoOverlay):
		testbed.Missing(t, "overlayfs", string(out))
	case err == nil && strings.Contains(string(out), "--- SKIP: "):
		testbed.Missing(t, "overlayfs", string(out))
	case err != nil || !strings.Contains(string(out), "--- PASS: "):
		t.Errorf("%v\n%s", err, out)
	default:
		t.Logf("%s", out)
	}
}

// mapsAsStat reports whether the device and the inode of a mapping in /var/tmp are those that stat tells of the file.
func mapsAsStat(t *testing.T) bool {
	t.Helper()
	f, err := os.CreateTemp("/var/tmp", "mcp-sandbox-mapped-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(f.Name())
	defer f.Close()
	b, err := unix.Mmap(int(f.Fd()), 0, 1, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	maps, ok := platform.ParseMaps(table)
	for _, m := range maps {
		if ok && m.Path == f.Name() {
			dev := uint64(unix.Major(s.Dev))<<32 | uint64(unix.Minor(s.Dev))
			t.Logf("stat: device %x, inode %d; maps: device %x, inode %d", dev, s.Ino, m.Dev, m.Ino)
			return m.Dev == dev && m.Ino == s.Ino
		}
	}
	t.Fatalf("%s is not in the table of what is mapped", f.Name())
	return false
}
