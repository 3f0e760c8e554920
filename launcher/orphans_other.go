//go:build !linux

package launcher

// reapOrphans has nothing to do: on macOS every orphan is launchd's, and Windows has no zombies.
func reapOrphans(bool) {}
