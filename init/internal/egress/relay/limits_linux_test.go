package relay

import (
	"bytes"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/loop"
)

// alone runs the calling test again in a process of its own, as an ordinary user; there it returns true.
func alone(t *testing.T) bool {
	t.Helper()
	const child = "RELAY_TEST_ALONE"
	if os.Getenv(child) != "" {
		if os.Geteuid() == 0 { // and without CAP_SYS_RESOURCE, to which the limits of pipes do not apply
			for _, err := range []error{unix.Setgroups(nil), unix.Setgid(65534), unix.Setuid(65534)} {
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()+" ") {
		t.Errorf("%v", err)
	}
	t.Logf("as an ordinary user:\n%s", out)
	return false
}

// many is streams whose peers are bare descriptors, with small socket buffers.
type many struct {
	t               *testing.T
	set             *loop.Set
	r               *Relay
	inside, outside []int
}

func newMany(t *testing.T, n int) *many {
	set, err := loop.NewSet()
	if err != nil {
		t.Fatal(err)
	}
	m := &many{t: t, set: set, r: New(set)}
	l := m.listen()
	defer unix.Close(l)
	for range n {
		in, a := m.pair(l)
		out, b := m.pair(l)
		m.inside, m.outside = append(m.inside, in), append(m.outside, out)
		m.r.Join(a, b, nil, func(e Ended) { t.Errorf("a stream has ended: %+v", e) })
	}
	return m
}

func (m *many) must(err error) {
	m.t.Helper()
	if err != nil {
		m.t.Fatal(err)
	}
}

func (m *many) socket() int {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	m.must(err)
	m.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 32<<10))
	m.must(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, 32<<10))
	return fd
}

func (m *many) listen() int {
	fd := m.socket()
	m.must(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	m.must(unix.Listen(fd, 16))
	return fd
}

func (m *many) pair(l int) (near, far int) {
	at, err := unix.Getsockname(l)
	m.must(err)
	near = m.socket()
	m.must(unix.Connect(near, at))
	far, _, err = unix.Accept4(l, unix.SOCK_CLOEXEC)
	m.must(err)
	m.must(unix.SetNonblock(near, true))
	return near, far
}

// serve goes on until nothing moves: the sockets of a machine's own connections hold what was sent at once.
func (m *many) serve() {
	for {
		before := m.moved()
		for range 4 {
			m.set.Serve()
		}
		if m.moved() == before {
			return
		}
	}
}

func (m *many) moved() (n int64) {
	for s := range m.r.live {
		n += s.in.moved + s.out.moved + int64(len(s.in.held)+len(s.out.held))
	}
	return n
}

// stuff writes to a peer's socket until nothing is taken, through the relay and all that the next peer holds.
func (m *many) stuff(fds []int, sent []int, block []byte) {
	for grew := true; grew; {
		grew = false
		for i, fd := range fds {
			for {
				from := sent[i] % len(block)
				n, err := send(fd, block[from:])
				if err != nil {
					break
				}
				sent[i] += n
				grew = true
			}
		}
		m.serve()
	}
}

// receive reads all that comes, and compares.
func (m *many) receive(fds []int, sent []int, block []byte) {
	b := make([]byte, 64<<10)
	got := make([]int, len(fds))
	for missing := true; missing; {
		missing = false
		for i, fd := range fds {
			for got[i] < sent[i] {
				from := got[i] % len(block)
				n, err := unix.Read(fd, b[:min(len(b), len(block)-from)])
				if err == unix.EAGAIN {
					missing = true
					break
				}
				if m.must(err); !bytes.Equal(b[:n], block[from:from+n]) {
					m.t.Fatalf("stream %d: other bytes after %d", i, got[i])
				}
				got[i] += n
			}
		}
		m.set.Serve()
	}
}

// resident is the process's memory in bytes, but for files'; proc_pid_status(5).
func resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

const streams = 512

// 512 streams whose peers read nothing, in both directions, cost little memory, whether pipes are to be had or not; and
// no byte is lost.
func TestManyStuck(t *testing.T) {
	if !alone(t) {
		return
	}
	exhaustPipes(t)
	block := random(1 << 20)
	m := newMany(t, streams)
	before := resident(t)
	sent, back := make([]int, streams), make([]int, streams)
	m.stuff(m.inside, sent, block)
	m.stuff(m.outside, back, block)
	grown := resident(t) - before
	t.Logf("%d KiB more for %d streams; %d pipes", grown>>10, streams, m.r.pipes.made)
	if grown > 8<<20 {
		t.Errorf("the process has grown by %d bytes", grown)
	}
	if len(m.r.pipes.free) != 0 || m.r.pipes.made != pipeMost {
		t.Errorf("%d pipes, %d free: the test means to have all in use", m.r.pipes.made, len(m.r.pipes.free))
	}
	m.receive(m.outside, sent, block)
	m.receive(m.inside, back, block)
	if len(m.r.pipes.free) != pipeMost {
		t.Errorf("%d of %d pipes are free with nothing under way", len(m.r.pipes.free), m.r.pipes.made)
	}
}

// exhaustPipes takes all pages that an ordinary user has for pipes, pipe-user-pages-soft of pipe(7).
func exhaustPipes(t *testing.T) {
	t.Helper()
	for range 4096 {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETPIPE_SZ, 1<<20); err == unix.EPERM {
			return
		}
	}
	t.Fatal("F_SETPIPE_SZ was never refused")
}

// Without a free descriptor there is no pipe: the streams go through the buffer, and by pipes again later.
func TestNoDescriptors(t *testing.T) {
	if !alone(t) {
		return
	}
	block := random(1 << 20)
	m := newMany(t, 4)
	old := unix.Rlimit{}
	m.must(unix.Getrlimit(unix.RLIMIT_NOFILE, &old))
	m.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 4, Max: old.Max}))
	sent := make([]int, 4)
	m.stuff(m.inside, sent, block)
	m.receive(m.outside, sent, block)
	if m.r.pipes.made != 0 || m.r.buf == nil {
		t.Errorf("%d pipes with no descriptor free", m.r.pipes.made)
	}
	m.must(unix.Setrlimit(unix.RLIMIT_NOFILE, &old))
	clear(sent)
	for range 100 * retry {
		if _, err := unix.Write(m.inside[0], []byte{0}); err != nil {
			t.Fatal(err)
		}
		for m.set.Serve(); ; m.set.Serve() {
			if n, _ := unix.Read(m.outside[0], make([]byte, 1)); n == 1 {
				break
			}
		}
		if m.r.pipes.made > 0 {
			return
		}
	}
	t.Error("no pipe was made once there were descriptors")
}
