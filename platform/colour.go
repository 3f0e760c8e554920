package platform

import "os"

// WantsColour reports whether a file shows colours, and the user does not forbid them; no-color.org.
func WantsColour(f *os.File) bool {
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && ShowsColour(f.Fd())
}
