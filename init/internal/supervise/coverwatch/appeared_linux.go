package coverwatch

import (
	"slices"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"github.com/security-mcp/mcp-sandbox/init/notice"
)

const (
	appearedTimeout = time.Second // of the search when the server has ended
	// earlyTimeout is of the search when the server is asked to end, at most a quarter of the time until the
	// deadline.
	earlyTimeout = 250 * time.Millisecond
)

// An Appeared tells which protected names appeared while the server ran. A name that was absent at the start could
// not be covered; a file of that name runs code on the host.
type Appeared struct {
	Find func(within time.Duration) (paths []string, more int, unfinished string) // as fsview.View.Appeared
	Say  func(string)

	early *loop.Timer
	said  []string
	more  int // were said without their names
}

// Register has the loop look early, before the deadline of the server.
func (a *Appeared) Register(l *loop.Loop, deadline func() time.Time) {
	a.early = l.Timer(func() {
		within := earlyTimeout
		if at := deadline(); !at.IsZero() {
			within = min(within, time.Until(at)/4)
		}
		paths, more, _ := a.Find(within)
		a.say(paths, more)
	})
}

// LookEarly looks in this turn of the loop, when the server is asked to end. The server may make more names, so Last
// looks again; but a host may kill the launcher before that.
func (a *Appeared) LookEarly() {
	a.early.Set(time.Now())
}

// Last looks when the server has ended, so that nothing more appears.
func (a *Appeared) Last() []string {
	paths, more, unfinished := a.Find(appearedTimeout)
	if unfinished != "" {
		a.Say(notice.NotSearched(unfinished))
	}
	a.say(paths, more)
	return paths
}

// say says the paths that have not been said before.
func (a *Appeared) say(paths []string, more int) {
	known := func(path string) bool { return slices.Contains(a.said, path) }
	paths = slices.DeleteFunc(slices.Clone(paths), known)
	if len(paths) == 0 { // nothing, or so much before that the named ones have not changed
		return
	}
	others := len(paths) - 1 + max(0, more-a.more)
	a.said, a.more = append(a.said, paths...), max(a.more, more)
	a.Say(notice.Appeared(paths[0], others))
}
