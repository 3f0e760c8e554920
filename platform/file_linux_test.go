package platform

import (
	"os"
	"path/filepath"
	"testing"
)

// The folder is as the kernel has it: a link for each number, into the tree of devices, where a partition lies in its
// disk.
func TestDisk(t *testing.T) {
	sys := t.TempDir()
	for name, text := range map[string]string{
		"devices/pci/sda/dev": "8:0\n", "devices/pci/sda/sda1/dev": "8:1\n", "devices/pci/sda/sda1/partition": "1\n",
		"devices/virtual/dm-0/dev":        "253:0\n", // a device of its own, whatever lies below it
		"devices/pci/lost/sdb1/partition": "1\n", "devices/pci/lost/sdb1/dev": "8:17\n",
		"devices/virtual/none/dev": "0:23\n",
	} {
		file := filepath.Join(sys, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(sys, "dev/block"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"8:0": "pci/sda", "8:1": "pci/sda/sda1", "253:0": "virtual/dm-0", "8:17": "pci/lost/sdb1", "0:23": "virtual/none"} {
		if err := os.Symlink("../../devices/"+to, filepath.Join(sys, "dev/block", name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		major, minor uint32
		want         string
	}{
		{8, 0, "8:0"}, {8, 1, "8:0"}, {253, 0, "253:0"},
		{8, 17, ""}, // its disk is not there
		{8, 2, ""},  // nor is this
		{0, 23, ""}, // tmpfs, overlayfs, btrfs: no block device, whatever /sys says
	} {
		if got, ok := diskIn(sys+"/dev/block/", c.major, c.minor); got != c.want || ok != (c.want != "") {
			t.Errorf("%d:%d: %q, %v", c.major, c.minor, got, ok)
		}
	}
}
