//go:build !darwin && !linux && !windows

package launcher

// reapOrphans has nothing to do: this operating system has no shim.
func reapOrphans(bool) {}
