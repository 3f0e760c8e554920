package testbed

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// A Daemon is how far the process behind a FUSE file system goes with what it is asked.
type Daemon int

// The daemons. The kernel lets a signal end the wait for a request that no daemon has read, and not the wait for one
// that was read.
const (
	Answers  Daemon = iota // an empty folder
	Stopped                // nothing is read after the beginning, as by a stopped process
	Deserted               // all is read and nothing answered, as by sshfs without its server
	Slow                   // a folder with a file for everybody, [SlowFile], whose bytes never come
)

// SlowFile is a name in the folder of the daemon Slow.
const SlowFile = "slow"

// Fuse mounts a FUSE file system in a test of [OwnMounts], with this process as its daemon. With the test, or with the
// returned function, the daemon ends, and with it every wait.
func Fuse(tb testing.TB, at string, d Daemon) (end func()) {
	tb.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err == unix.ENOENT || err == unix.EACCES {
		Missing(tb, "fuse", "/dev/fuse: "+err.Error())
	}
	if err != nil {
		tb.Fatal(err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other", fd, os.Geteuid(), os.Getegid())
	err = unix.Mount("test", at, "fuse.test", 0, options)
	// Not before: the kernel wakes nobody who began to poll when nothing was mounted.
	device := os.NewFile(uintptr(fd), "/dev/fuse")
	end = sync.OnceFunc(func() {
		device.Close()
		unix.Unmount(at, unix.MNT_DETACH)
	})
	tb.Cleanup(end)
	if err != nil {
		tb.Fatal(err)
	}
	go serve(device, d)
	return end
}

// fuseRequests counts what the daemons have read and somebody waits for.
var fuseRequests atomic.Int64

// FuseRequests is how many requests the daemons of this process have read, of those that somebody waits for.
func FuseRequests() int64 { return fuseRequests.Load() }

// serve reads requests, linux/fuse.h: a header of 40 bytes with the operation at 4 and its number at 8.
func serve(device *os.File, d Daemon) {
	b := make([]byte, 1<<17)
	for {
		n, err := device.Read(b)
		if err != nil || n < 40 {
			return
		}
		const initialise = 26
		op := binary.LittleEndian.Uint32(b[4:])
		answers := op == initialise || d == Answers
		a := answer(op)
		if d == Slow {
			a, answers = answerOfFile(op, b[16:n], a)
		}
		if !answers && a != nil || d == Answers && op != initialise {
			fuseRequests.Add(1)
		}
		if answers && a != nil {
			binary.LittleEndian.PutUint32(a, uint32(len(a)))
			copy(a[8:16], b[8:16])
			device.Write(a)
		}
		if d == Stopped {
			return
		}
	}
}

// answer is what an empty folder answers: a header of 16 bytes, with the error at 4, and the operation's own part. nil:
// nothing is expected.
func answer(op uint32) []byte {
	failed := func(e unix.Errno) []byte {
		a := make([]byte, 16)
		binary.LittleEndian.PutUint32(a[4:], uint32(-int32(e)))
		return a
	}
	switch op {
	case 2, 36, 42: // forget, interrupt, batch_forget
		return nil
	case 1: // lookup
		return failed(unix.ENOENT)
	case 3: // getattr
		a := make([]byte, 16+104)
		a[32] = 1 // ino
		binary.LittleEndian.PutUint32(a[16+16+60:], unix.S_IFDIR|0o755)
		a[16+16+64] = 2 // nlink
		return a
	case 17: // statfs
		a := make([]byte, 16+80)
		binary.LittleEndian.PutUint32(a[16+40:], 4096) // bsize
		binary.LittleEndian.PutUint32(a[16+44:], 255)  // namelen
		return a
	case 26: // init
		a := make([]byte, 16+64)
		binary.LittleEndian.PutUint32(a[16:], 7)
		binary.LittleEndian.PutUint32(a[20:], 31)
		binary.LittleEndian.PutUint32(a[16+20:], 1<<16) // max_write
		return a
	case 27: // opendir
		return make([]byte, 16+16)
	case 28, 29, 34: // readdir, releasedir, access
		return make([]byte, 16)
	}
	return failed(unix.ENOSYS)
}

// answerOfFile is what a folder with a file answers, if that is otherwise than of an empty one. A
// read is not answered.
func answerOfFile(op uint32, rest []byte, empty []byte) (a []byte, answers bool) {
	const nodeOfFile, mode = 2, unix.S_IFREG | 0o444
	attributes := func(b []byte) { // struct fuse_attr
		binary.LittleEndian.PutUint64(b, nodeOfFile)
		binary.LittleEndian.PutUint64(b[8:], 1<<16) // size
		binary.LittleEndian.PutUint32(b[60:], mode)
		b[64] = 1 // nlink
	}
	node := binary.LittleEndian.Uint64(rest)
	switch {
	case op == 1 && bytes.HasPrefix(rest[24:], []byte(SlowFile)):
		a = make([]byte, 16+128)
		a[16] = nodeOfFile
		attributes(a[16+40:])
	case op == 3 && node == nodeOfFile:
		a = make([]byte, 16+104)
		attributes(a[16+16:])
	case op == 14, op == 18, op == 25: // open, release, flush
		a = make([]byte, 16+16)
		if op != 14 {
			a = a[:16]
		}
	case op == 15: // read
		return empty, false
	default:
		a = empty
	}
	return a, true
}
