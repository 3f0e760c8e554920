//go:build darwin || linux

package proctree

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Tree is a process with everything that descends from it, as far as readings of the table show, on a system
// that leaves orphans to process 1. A process that one reading showed in the tree is remembered, and so is
// every process of the root's session. A process that leaves both parent and session between two readings is
// lost.
type Tree struct {
	root  int
	begun bool
	seen  map[int]uint64 // pid to start
	lock  sync.Mutex
	forks forks
}

// NewTree is the tree below a process, which leads a session.
func NewTree(root int) *Tree {
	t := &Tree{root: root, seen: map[int]uint64{}}
	t.look()
	return t
}

// Follow reads the table again whenever a process of the tree has forked, so that a process which leaves parent
// and session has been seen with them.
func (t *Tree) Follow() {
	t.forks = newForks()
	t.forks.add(t.look())
	go func() {
		for t.forks.next() {
			t.forks.add(t.look())
		}
	}()
}

// Close ends Follow.
func (t *Tree) Close() { t.forks.close() }

// grow adds the descendants of the root and of processes seen before, and the root's session. The result is
// the pids of all but zombies.
func (t *Tree) grow(table []Process) (living []int) {
	for _, p := range table {
		if start, known := t.seen[p.PID]; known && start != p.Start { // the pid is another process's now
			delete(t.seen, p.PID)
		}
	}
	for more := true; more; {
		more = false
		for _, p := range table {
			if _, known := t.seen[p.PID]; known {
				continue
			}
			_, child := t.seen[p.Parent]
			// The root's pid may be another process's once the root has ended.
			if p.PID == t.root && !t.begun || child || p.Session == t.root {
				t.seen[p.PID], more = p.Start, true
			}
		}
	}
	t.begun = true
	there := map[int]uint64{}
	for _, p := range table {
		if start, known := t.seen[p.PID]; known {
			there[p.PID] = start
			if !p.Dead() {
				living = append(living, p.PID)
			}
		}
	}
	t.seen = there
	return living
}

// look reads the table, and returns the pids of the tree's living processes.
func (t *Tree) look() []int {
	t.lock.Lock()
	defer t.lock.Unlock()
	table := Table()
	if len(table) == 0 { // the reading failed
		return nil
	}
	return t.grow(table)
}

// Kill ends all processes of the tree and counts them. A stopped process cannot fork while the table is
// read.
func (t *Tree) Kill() int {
	killed := map[int]bool{}
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
		living := t.look()
		if len(living) == 0 {
			break
		}
		for _, pid := range living {
			unix.Kill(pid, unix.SIGSTOP)
		}
		for _, pid := range t.look() {
			unix.Kill(pid, unix.SIGKILL)
			killed[pid] = true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return len(killed)
}
