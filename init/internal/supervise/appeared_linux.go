package supervise

import (
	"path"
	"strconv"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
)

// How long to look for what appeared.
const (
	forAppeared = time.Second            // when the server has ended
	forEarly    = 250 * time.Millisecond // when it is asked to end, and a quarter of the time that it is given for that
)

// appeared is what is known of what runs code on the host and was not there when the server started: it could not be held
// (see [fsview.View.Appeared]).
type appeared struct {
	early *loop.Timer // when to look before the server has ended
	told  map[string]bool
	more  int // that were told without their names
}

// lookEarly tells what has appeared until now. The server may make more, so it is looked again when it has ended; but a host that
// kills the launcher before that leaves nobody who could look.
func (s *shim) lookEarly() {
	if s.view == nil {
		return
	}
	within := forEarly
	if at := s.end.Next(); !at.IsZero() {
		within = min(within, time.Until(at)/4)
	}
	paths, more, _ := s.view.Appeared(within)
	s.sayAppeared(paths, more)
}

// tellAppeared looks when the server has ended, so nothing more appears.
func (s *shim) tellAppeared() []string {
	if s.view == nil {
		return nil
	}
	paths, more, unfinished := s.view.Appeared(forAppeared)
	if unfinished != "" {
		s.Say("not all of " + brief(unfinished) + " could be searched in time for what appeared while the server ran: look before you open it " +
			"or run git there")
	}
	s.sayAppeared(paths, more)
	return paths
}

// sayAppeared says what has not been said before.
func (s *shim) sayAppeared(paths []string, more int) {
	a, first, n := &s.appeared, "", max(0, more-s.appeared.more)
	for _, path := range paths {
		if a.told[path] {
			continue
		}
		if n++; first == "" {
			first = path
		}
		if a.told == nil {
			a.told = map[string]bool{}
		}
		a.told[path] = true
	}
	if first == "" { // nothing, or so much before that it has not changed what is named
		return
	}
	a.more = max(a.more, more)
	text := brief(first)
	if n > 1 {
		text += " and " + strconv.Itoa(n-1) + " more"
	}
	s.Say(text + " appeared while the server ran: look into it before you open " + brief(path.Dir(first)) +
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
