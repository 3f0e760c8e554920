package relay

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
	block := random(1 << 20)
	m := newMany(t, streams)
	giveBack := exhaustPipes(t) // other tests of this user want pipes too
	var all []*pipe
	for range pipeMost { // of two pages: F_SETPIPE_SZ is refused
		all = append(all, m.r.pipes.get())
	}
	for _, p := range all {
		m.r.pipes.put(p)
	}
	giveBack()
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
func exhaustPipes(t *testing.T) (giveBack func()) {
	t.Helper()
	var all []int
	for range 4096 {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			t.Fatal(err)
		}
		all = append(all, p[:]...)
		if _, err := unix.FcntlInt(uintptr(p[0]), unix.F_SETPIPE_SZ, 1<<20); err == unix.EPERM {
			return func() {
				for _, fd := range all {
					unix.Close(fd)
				}
			}
		}
	}
	t.Fatal("F_SETPIPE_SZ was never refused")
	return nil
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
