package supervise

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A step of a repair that was due, and was taken away by what the loop called before in the same turn, is not done: it would look
// for holders while a cover is still being laid, and the end of that would look for no further cover.
func TestStepThatIsNoLongerDue(t *testing.T) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(p[0])
	defer unix.Close(p[1])
	unix.Write(p[1], []byte{0})
	s := &shim{lookout: noLookout(), repair: repair{runner: -1, at: time.Now(), until: time.Now()}}
	turns := 0
	s.loop.Add(p[0], unix.POLLIN, func(int16) {
		s.repair.at, s.repair.until = time.Time{}, time.Time{}
		if turns++; turns == 2 {
			s.loop.End()
		}
	})
	s.registerRepair()
	if err := s.loop.Run(); err != nil { // a step of this shim's would panic: it has no view
		t.Fatal(err)
	}
}
