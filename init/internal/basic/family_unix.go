//go:build darwin || linux

package basic

import (
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process as one look at the system's table found it.
type process struct {
	pid, parent int
	born        int64 // in a unit of the system's: the same number is another process with another value
	dead        bool  // a zombie
}

// A family is a process with everything that descends from it, as far as looks can tell. Who was seen once is remembered, and
// so is everybody in the sessions that were seen: a process that leaves both parent and session between two looks
// is not found again.
type family struct {
	root  int
	begun bool
	seen  map[int]int64 // pid to born
	lock  sync.Mutex
	watch forks
}

func newFamily(root int) *family {
	f := &family{root: root, seen: map[int]int64{}}
	f.look()
	return f
}

// follow looks again whenever one of them has forked, so that who is left by parent and session was seen with them.
func (f *family) follow() {
	f.watch = newForks()
	f.watch.add(f.look())
	go func() {
		for f.watch.next() {
			f.watch.add(f.look())
		}
	}()
}

// leave ends that.
func (f *family) leave() { f.watch.close() }

// grow adds who descends from the root, from somebody seen before, or is in the root's session.
func (f *family) grow(table []process, session func(pid int) int) (living []int) {
	for _, p := range table { // whose number is used again is somebody else
		if born, known := f.seen[p.pid]; known && born != p.born {
			delete(f.seen, p.pid)
		}
	}
	for more := true; more; {
		more = false
		for _, p := range table {
			if _, known := f.seen[p.pid]; known {
				continue
			}
			_, child := f.seen[p.parent]
			// The root's number may be another's once it has ended.
			if p.pid == f.root && !f.begun || child || session(p.pid) == f.root {
				f.seen[p.pid], more = p.born, true
			}
		}
	}
	f.begun = true
	there := map[int]bool{}
	for _, p := range table {
		if _, known := f.seen[p.pid]; known {
			there[p.pid] = true
			if !p.dead {
				living = append(living, p.pid)
			}
		}
	}
	for pid := range f.seen {
		if !there[pid] {
			delete(f.seen, pid)
		}
	}
	return living
}

// look finds who lives now.
func (f *family) look() []int {
	f.lock.Lock()
	defer f.lock.Unlock()
	table, err := processes()
	if err != nil {
		return nil
	}
	return f.grow(table, func(pid int) int {
		sid, err := unix.Getsid(pid)
		if err != nil {
			return -1
		}
		return sid
	})
}

// kill ends everybody and counts them. They are stopped first, so that none makes another while the table is read.
func (f *family) kill() int {
	killed := map[int]bool{}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		living := f.look()
		if len(living) == 0 {
			break
		}
		for _, pid := range living {
			unix.Kill(pid, syscall.SIGSTOP)
		}
		for _, pid := range f.look() {
			unix.Kill(pid, syscall.SIGKILL)
			killed[pid] = true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return len(killed)
}
