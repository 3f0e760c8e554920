package coverwatch

import (
	"encoding/binary"
	"maps"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/security-mcp/mcp-sandbox/platform"
	"golang.org/x/sys/unix"
)

// Renames are the changes of folders that one sandbox watches, in a process that watches for several: all share one
// descriptor of inotify(7), which is never closed, for that takes 9 ms. A folder reports one change, and is then
// watched again: so a server that changes a folder without end has no more of them reported than its watcher looks at.
type Renames struct {
	rouse func() // called from any goroutine
	came  atomic.Bool
	lost  atomic.Bool // changes may not be reported any more
	of    *inotify

	table   *os.File // of mounts
	mounted atomic.Bool
}

// NewRenames calls rouse at each change.
func NewRenames(rouse func()) (*Renames, error) {
	of, err := keptInotify.Get(newInotify)
	if err != nil {
		return nil, err
	}
	return &Renames{rouse: rouse, of: of}, nil
}

// follow reports changes of a table of mounts, and owns it. Only the netpoller asks for them: poll(2) tells of each
// once, whichever call asks, and what is ready for reading, as a table always is, the netpoller learns at each change
// again.
func (r *Renames) follow(table int) (err error) {
	r.table, err = platform.Polled(table, "mountinfo", func() bool {
		defer func() {
			if recover() != nil {
				r.lose()
			}
		}()
		r.mounted.Store(true)
		r.rouse()
		return false
	})
	return err
}

// lose has the watcher end its sandbox.
func (r *Renames) lose() {
	defer func() { _ = recover() }() // what rouse did to the caller before
	r.lost.Store(true)
	r.rouse()
}

// Close ends all watches.
func (r *Renames) Close() {
	if r.table != nil {
		r.table.Close()
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	for wd := range r.of.watches {
		r.of.leave(wd, r)
	}
}

// watch has a folder report one change of those that dnotify names.
func (r *Renames) watch(folder, events int) (wd int, err error) {
	mask := uint32(unix.IN_MOVE | unix.IN_DELETE | unix.IN_ONESHOT | unix.IN_MASK_ADD | unix.IN_ONLYDIR)
	if events&dnCreate != 0 {
		mask |= unix.IN_CREATE
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if wd, err = r.of.add(r.of.fd, "/proc/self/fd/"+strconv.Itoa(folder), mask); err != nil {
		return -1, err
	}
	if all := r.of.watches[int32(wd)]; !slices.Contains(all, r) {
		r.of.watches[int32(wd)] = append(all, r)
	}
	return wd, nil
}

// forget ends the watch of a folder.
func (r *Renames) forget(wd int) {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.leave(int32(wd), r)
}

// inotify is the descriptor of the process.
type inotify struct {
	fd      int
	add     func(fd int, path string, mask uint32) (wd int, err error) // inotify_add_watch(2), or a test's
	file    *os.File
	mu      sync.Mutex
	watches map[int32][]*Renames
}

var keptInotify platform.Kept[*inotify]

func newInotify() (*inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	n := &inotify{fd: fd, add: unix.InotifyAddWatch, file: os.NewFile(uintptr(fd), "inotify"),
		watches: map[int32][]*Renames{}}
	if err = n.file.SetReadDeadline(time.Time{}); err != nil { // the netpoller has refused it
		n.file.Close()
		return nil, err
	}
	go n.read()
	return n, nil
}

// read reports changes until the end of the process.
func (n *inotify) read() {
	buf := make([]byte, 16<<10)
	for {
		size, err := n.file.Read(buf)
		if err != nil {
			return
		}
		n.take(buf[:size])
	}
}

// take reports the changes of some events. Where that fails, all that watch are lost, for their events may be; those
// that watch later may do better.
func (n *inotify) take(b []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	defer func() {
		if recover() != nil {
			for _, r := range slices.Concat(slices.Collect(maps.Values(n.watches))...) {
				r.lose()
			}
			clear(n.watches)
		}
	}()
	for len(b) >= unix.SizeofInotifyEvent {
		wd, mask := int32(binary.NativeEndian.Uint32(b)), binary.NativeEndian.Uint32(b[4:])
		n.report(wd, mask)
		b = b[min(len(b), unix.SizeofInotifyEvent+int(binary.NativeEndian.Uint32(b[12:]))):]
	}
}

// report reports a change to all that watch the folder, once the kernel has taken the watch away: until then to watch
// again would be to add to a watch that goes. Where events were lost all look.
func (n *inotify) report(wd int32, mask uint32) {
	if mask&unix.IN_Q_OVERFLOW != 0 {
		for wd := range n.watches {
			n.report(wd, unix.IN_IGNORED)
		}
		return
	}
	if mask&unix.IN_IGNORED == 0 {
		return
	}
	for _, r := range n.watches[wd] {
		r.came.Store(true)
		r.rouse()
	}
	delete(n.watches, wd)
}

// leave takes a sandbox away from a watch, which ends with the last.
func (n *inotify) leave(wd int32, r *Renames) {
	all := n.watches[wd]
	i := slices.Index(all, r)
	switch {
	case i < 0:
	case len(all) == 1:
		delete(n.watches, wd)
		_, _ = unix.InotifyRmWatch(n.fd, uint32(wd))
	default:
		n.watches[wd] = slices.Delete(all, i, i+1)
	}
}
