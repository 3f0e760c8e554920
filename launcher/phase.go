package launcher

import (
	"context"
	"os"
	"os/exec"
	"time"
)

// A phase is how far a Cmd has come.
type phase uint8

const (
	prepared phase = iota
	starting       // Start uses the files
	running        // the shim was started, and somebody reads
	closed         // nothing is left of what never was started
)

// starts is told by Start that it begins. It may not when the sandbox was closed.
func (i *inbox) starts() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == prepared {
		i.phase = starting
	}
	return i.phase != closed
}

// started is told by Start that there is a shim, and begins to read.
func (i *inbox) started(shim *os.Process) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == running {
		return
	}
	i.phase, i.shim, i.began = running, shim, time.Now()
	i.release()
	i.socket.Follow(shim.Pid)
	if i.hung {
		i.socket.HangUp(shim)
	}
	close(i.ready)
	go i.read()
}

// forgotten is told that nobody has the Cmd any more. A helper may have taken Cancel and WaitDelay away, and then nobody
// knows whether it was started: the end of the shim's end says it.
func (i *inbox) forgotten() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.phase == prepared || i.phase == starting {
		i.phase = running
		i.release()
		go i.read()
	}
}

func (i *inbox) release() {
	for _, f := range i.files {
		f.Close()
	}
	i.files = nil
}

// close hangs up. What was never started is given back at once; while Start runs, what it uses is left to it.
func (i *inbox) close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.hung = true
	switch i.phase {
	case prepared:
		i.phase = closed
		i.release()
		return i.socket.Close()
	case running:
		i.socket.HangUp(i.shim)
	}
	return nil
}

func (i *inbox) closedBefore() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.phase == closed
}

// startsWithin is how long a Start may take, from what one knows who is not in it. It is asked only of one that failed, or
// whose Cmd a helper has taken Cancel and WaitDelay from.
const startsWithin = 2 * time.Second

// await waits until there is a shim. cmd is looked at only when that takes longer than any Start that works.
func (i *inbox) await(ctx context.Context, cmd *exec.Cmd) error {
	i.mu.Lock()
	at := i.phase
	i.mu.Unlock()
	switch at {
	case running:
		return nil
	case prepared, closed:
		return errNotStarted
	}
	late := time.NewTimer(startsWithin)
	defer late.Stop()
	select {
	case <-i.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-late.C:
	}
	if cmd.Process == nil {
		return errNotStarted
	}
	i.started(cmd.Process)
	return nil
}
