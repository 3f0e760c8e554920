//go:build darwin || linux

package tree

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"os"

	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A State is the kernel's description of a folder and of all in it, without the contents of files: device, inode, mode,
// number of names, owner, size and ctime of each path. Whoever changes a file can put back everything but the ctime.
type State struct {
	Sum     [32]byte
	Entries int
	Newest  time.Time // the last ctime
}

// lookers go through a folder at once: stat(2) is nearly all of the work, and processors share that.
const lookers = 4

// Look reads the state of a folder with at most so many names.
func Look(folder, most int) (State, error) {
	var top unix.Stat_t
	err := unix.Fstat(folder, &top)
	if err == nil {
		err = rewind(folder)
	}
	if err != nil {
		return State{}, err
	}
	l := looker{left: most, more: make(chan struct{}, lookers-1)}
	own := part{path: "."} // the others' paths are empty or begin with a slash
	b := &buffers{names: make([]byte, 32<<10)}
	b.add("", &top)
	l.take(&own, b)
	l.folder(folder, "", 0, b)
	l.all.Wait()
	slices.SortFunc(l.parts, func(a, b part) int { return cmp.Compare(a.path, b.path) })
	sum := sha256.New()
	for i := range l.parts {
		sum.Write(append([]byte(l.parts[i].path), 0))
		sum.Write(l.parts[i].sum[:])
	}
	state := State{Entries: most - l.left, Newest: time.Unix(0, l.newest)}
	sum.Sum(state.Sum[:0])
	return state, l.err
}

// A looker collects the parts, one for each folder.
type looker struct {
	more  chan struct{} // a place for each further goroutine
	all   sync.WaitGroup
	spare sync.Pool // of *buffers

	mu     sync.Mutex
	parts  []part
	left   int // names that may still come
	newest int64
	err    error // the first
}

// A part is a folder's.
type part struct {
	path string
	sum  [32]byte
}

// buffers are one goroutine's.
type buffers struct {
	names   []byte // as getdents(2) writes them
	entries []byte // of a folder
	newest  int64  // of their ctimes
}

// add appends one entry. A name ends with a byte that no name has.
func (b *buffers) add(name string, st *unix.Stat_t) {
	sec, nsec := st.Ctim.Unix()
	b.newest = max(b.newest, sec*1e9+nsec)
	b.entries = append(append(b.entries, name...), 0)
	for _, n := range [...]uint64{uint64(st.Dev), st.Ino, uint64(st.Mode), uint64(st.Nlink), uint64(st.Uid),
		uint64(st.Gid), uint64(st.Size), uint64(sec), uint64(nsec)} {
		b.entries = binary.LittleEndian.AppendUint64(b.entries, n)
	}
}

// take enters the result of a folder.
func (l *looker) take(p *part, b *buffers) {
	p.sum = sha256.Sum256(b.entries)
	b.entries = b.entries[:0]
	l.mu.Lock()
	l.parts = append(l.parts, *p)
	l.newest = max(l.newest, b.newest)
	l.mu.Unlock()
}

func (l *looker) fail(err error) {
	l.mu.Lock()
	if l.err == nil {
		l.err = err
	}
	l.mu.Unlock()
}

// may takes some names off those that may still come. After an error none may.
func (l *looker) may(names int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left -= names; l.left < 0 && l.err == nil {
		l.err = &Refused{"", "there are too many files and folders"}
	}
	return l.err == nil
}

// folder reads a folder, and those in it: in another goroutine where there is a place for one.
func (l *looker) folder(fd int, path string, depth int, b *buffers) {
	w := walker{left: MostEntries, buf: b.names}
	names, err := w.names(fd, path)
	if err == nil && depth > mostDepth {
		err = &Refused{path, "is a folder in more than 128 others"}
	}
	if err != nil {
		l.fail(err)
		return
	}
	if !l.may(len(names)) {
		return
	}
	var folders []string
	for _, name := range names {
		var st unix.Stat_t
		if err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			l.fail(&os.PathError{Op: "stat", Path: path + "/" + name, Err: err})
			return
		}
		b.add(name, &st)
		if st.Mode&unix.S_IFMT == unix.S_IFDIR {
			folders = append(folders, name)
		}
	}
	l.take(&part{path: path}, b)
	for _, name := range folders {
		l.enter(fd, name, path+"/"+name, depth+1, b)
	}
}

func (l *looker) enter(at int, name, path string, depth int, b *buffers) {
	fd, err := openFolder(at, name)
	if err != nil {
		l.fail(&os.PathError{Op: "open", Path: path, Err: err})
		return
	}
	select {
	case l.more <- struct{}{}:
		l.all.Go(func() {
			own, ok := l.spare.Get().(*buffers)
			if !ok {
				own = &buffers{names: make([]byte, 32<<10)}
			}
			l.folder(fd, path, depth, own)
			l.spare.Put(own)
			unix.Close(fd)
			<-l.more
		})
	default:
		l.folder(fd, path, depth, b)
		unix.Close(fd)
	}
}
