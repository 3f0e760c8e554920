//go:build darwin || linux

package basic

// kill ends the server and everything that it started, and tells how many there were at least.
func (s *server) kill() int {
	if s.family == nil {
		return 0
	}
	return s.family.kill()
}
