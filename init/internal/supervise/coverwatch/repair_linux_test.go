package coverwatch

import (
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
	"golang.org/x/sys/unix"
)

// ready is a pipe that can be read from for ever.
func ready(t *testing.T) int {
	t.Helper()
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p[0]); unix.Close(p[1]) })
	unix.Write(p[1], []byte{0})
	return p[0]
}

// A step of a repair that was due, and was taken back by what the loop called before in the same turn, is not done: it
// would go on while a cover is still being laid, and the end of that would look for no further cover.
func TestStepThatIsNoLongerDue(t *testing.T) {
	var l loop.Loop
	w := &Watcher{paths: paths{mountinfo: -1}}
	turns := 0
	l.Add(ready(t), unix.POLLIN, func(int16) {
		w.wake.Stop()
		if turns++; turns == 2 {
			l.End()
		}
		l.Timer(func() {}).Set(time.Now())
	})
	w.Register(&l)
	w.wake.Set(time.Now())
	if err := l.Run(); err != nil { // a step of this watcher's would panic: it has no repair
		t.Fatal(err)
	}
}
