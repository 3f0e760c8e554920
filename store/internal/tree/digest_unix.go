//go:build darwin || linux

package tree

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"time"

	"golang.org/x/sys/unix"
)

// A State is what the kernel says of a folder and of all in it, without what the files hold: device, inode, mode,
// number of names, owner, size and ctime of each path. Whoever changes a file can put back everything but the ctime.
type State struct {
	Sum     [32]byte
	Entries int
	Newest  time.Time // the last ctime
}

// Look reads the state of a folder with at most so many names.
func Look(folder, most int) (State, error) {
	s := looker{sum: sha256.New()}
	var st unix.Stat_t
	err := unix.Fstat(folder, &st)
	if err == nil {
		s.add("", &st)
		s.entries = 0
		err = rewind(folder)
	}
	if err == nil {
		err = newWalker(most, func(_ int, _, path string, st *unix.Stat_t) error {
			s.add(path, st)
			return nil
		}).walk(folder, "", 0)
	}
	state := State{Entries: s.entries, Newest: time.Unix(0, s.newest)}
	s.flush()
	s.sum.Sum(state.Sum[:0])
	return state, err
}

type looker struct {
	sum     hash.Hash
	buf     []byte
	entries int
	newest  int64
}

// add appends one entry. A path ends with a byte that no name has.
func (s *looker) add(path string, st *unix.Stat_t) {
	sec, nsec := st.Ctim.Unix()
	s.newest = max(s.newest, sec*1e9+nsec)
	s.entries++
	s.buf = append(append(s.buf, path...), 0)
	for _, n := range [...]uint64{uint64(st.Dev), st.Ino, uint64(st.Mode), uint64(st.Nlink), uint64(st.Uid),
		uint64(st.Gid), uint64(st.Size), uint64(sec), uint64(nsec)} {
		s.buf = binary.LittleEndian.AppendUint64(s.buf, n)
	}
	if len(s.buf) > 16<<10 {
		s.flush()
	}
}

func (s *looker) flush() {
	s.sum.Write(s.buf)
	s.buf = s.buf[:0]
}
