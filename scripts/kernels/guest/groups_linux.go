package main

import (
	"errors"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/scripts/kernels/place"
)

// mountGroups mounts the control groups as systemd does: v2 alone, or the controllers in hierarchies of v1 and a v2 beside
// them that has none; cgroups(7). From Linux 6.11 a kernel may have no v1 of the memory controller (e93d4166b40a, "mm:
// memcg: put cgroup v1-specific code under a config option"): then v2 keeps it.
func mountGroups(hybrid bool) error {
	const plain = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	if !hybrid {
		return mount{"cgroup2", place.Mount, "cgroup2", plain, "nsdelegate,memory_recursiveprot"}.make()
	}
	if err := (mount{"tmpfs", place.Mount, "tmpfs", plain, "mode=755"}).make(); err != nil {
		return err
	}
	for _, controllers := range []string{"cpu,cpuacct", "blkio", "memory", "pids", "freezer", "devices"} {
		err := mount{"cgroup", place.Mount + "/" + controllers, "cgroup", plain, controllers}.make()
		if err != nil && !(controllers == "memory" && errors.Is(err, unix.EINVAL)) {
			return err
		}
	}
	return mount{"cgroup2", place.Unified, "cgroup2", plain, "nsdelegate"}.make()
}
