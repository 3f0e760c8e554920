package launcher

// Follow has nothing to do: the end of the shim's end of the socket is its own.
func (s socket) Follow(int) {}

// reapOrphans has nothing to do: on macOS every orphan is launchd's.
func reapOrphans(bool) {}
