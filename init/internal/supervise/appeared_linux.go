package supervise

import (
	"path"
	"strconv"

	"github.com/security-mcp/mcp-sandbox/init/order"
)

// tellAppeared looks for what runs code on the host and was not there when the server started: it could not be held
// (see [view.View.Appeared]). The server has ended, so nothing more appears.
func (s *shim) tellAppeared(x *order.Exited) {
	if s.view == nil {
		return
	}
	paths, more, unfinished := s.view.Appeared()
	if unfinished != "" {
		s.Say("not all of " + brief(unfinished) + " could be searched in time for what appeared while the server ran: look before you open it " +
			"or run git there")
	}
	if len(paths) == 0 {
		return
	}
	x.Appeared = paths
	text := brief(paths[0])
	if more += len(paths) - 1; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	s.Say(text + " appeared while the server ran: look into it before you open " + brief(path.Dir(paths[0])) +
		" or run git there, it can run code")
}

// brief is a path that leaves room on a line for what is said of it.
func brief(path string) string {
	const most = 32
	if len(path) <= most {
		return path
	}
	return "..." + path[len(path)-most:]
}
