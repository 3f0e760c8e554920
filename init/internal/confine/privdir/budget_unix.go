//go:build darwin || linux

package privdir

import (
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
)

// A server can leave any number of names behind. Names not removed in time are left to the next
// launches, each of which removes a part.
const (
	atEnd    = 500 * time.Millisecond // at the end of a launch
	hurry    = 50 * time.Millisecond  // of that, once a signal asks for the end
	others   = 100 * time.Millisecond // at the beginning of a launch, for folders that others left
	noHurry  = time.Minute            // when the launcher is gone, and no caller waits
	interval = 32                     // names that are removed between two looks at the clock
)

// AtEnd is over when a launcher should wait no longer for its folder to be removed: asked, which may be nil,
// reports whether a signal has asked for the end meanwhile.
func AtEnd(asked func() bool) (over func() bool) { return budget(atEnd, asked) }

// NoHurry is over when a process without a waiting caller should stop.
func NoHurry() (over func() bool) { return budget(noHurry, nil) }

// budget is over when this process has used so much processor time, or when ten times as much time has passed,
// as on a busy machine; or soon after asked, which may be nil, was true.
func budget(most time.Duration, asked func() bool) (over func() bool) {
	until, used := time.Now().Add(10*most), platform.ProcessTime()+most
	calls, ended := 0, false
	return func() bool {
		if calls++; ended || calls%interval != 0 {
			return ended
		}
		if asked != nil && asked() {
			asked = nil
			if soon := time.Now().Add(hurry); soon.Before(until) {
				until = soon
			}
		}
		ended = time.Now().After(until) || platform.ProcessTime() > used
		return ended
	}
}
