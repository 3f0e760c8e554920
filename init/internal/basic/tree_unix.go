//go:build darwin || linux

package basic

// Kill ends the server and everything that it started, and tells how many there were at least.
func (s *server) Kill() int {
	if s.family == nil {
		return 0
	}
	return s.family.kill()
}
