package platform

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Disk is the whole block device, as "8:0", that a file system's device number stands for: a partition's disk. It is false for
// what has no block device of its own, such as tmpfs, overlayfs, btrfs and the network's.
func Disk(major, minor uint32) (string, bool) { return diskIn("/sys/dev/block/", major, minor) }

func diskIn(folder string, major, minor uint32) (string, bool) {
	name := strconv.FormatUint(uint64(major), 10) + ":" + strconv.FormatUint(uint64(minor), 10)
	dir := folder + name
	if major == 0 || unix.Access(dir, unix.F_OK) != nil {
		return "", false
	}
	if unix.Access(dir+"/partition", unix.F_OK) != nil {
		return name, true
	}
	b, err := ReadSmall(dir+"/../dev", 64)
	return strings.TrimSpace(string(b)), err == nil
}
