package launch

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/notify"
	"github.com/security-mcp/mcp-sandbox/policy"
	"golang.org/x/sys/unix"
)

// A served is what a test's Egress got.
type served struct {
	sockets []layers.Carried
	closed  bool
}

func (*served) FD() int  { return -1 }
func (*served) Serve()   {}
func (*served) Begin()   {}
func (s *served) Close() { s.closed = true; closeCarried(s.sockets) }
func closeCarried(all []layers.Carried) {
	for _, c := range all {
		unix.Close(c.FD)
	}
}

// waiting is an attempt that waits for messages of this process, which stands for init.
func waiting(t *testing.T, c Config) (a *Attempt, send int) {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.SetsockoptInt(pair[0], unix.SOL_SOCKET, unix.SO_PASSCRED, 1)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeAll(pair[:]) })
	a = &Attempt{Sandbox: Sandbox{launch: &Launch{Config: c}, Init: Init{PID: os.Getpid(), FD: -1},
		Listener: notify.New(nil, nil), Pipes: Pipes{-1, pair[0], -1, false}, kept: kept{starter: new(runner), image: -1, mounts: -1, room: -1}}}
	return a, pair[1]
}

// files are n open files, with the numbers that they had here.
func files(t *testing.T, n int) (all []int) {
	t.Helper()
	for range n {
		fd, err := unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fd)
	}
	t.Cleanup(func() { closeAll(all) })
	return all
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// What carries descriptors is taken by its text, and what cannot be taken is closed.
func TestTake(t *testing.T) {
	domains := policy.Policy{Level: policy.Standard, Network: policy.Network{AllowedDomains: []string{"a.example:9"}}}
	var got served
	take3 := func(all []layers.Carried) (Serving, error) { got.sockets = all; return &got, nil }
	fails := func(all []layers.Carried) (Serving, error) { closeCarried(all); return nil, errors.New("no memory") }
	for _, c := range []struct {
		name   string
		policy policy.Policy
		egress Egress
		text   string
		files  int
		kept   int
		want   string
	}{
		{"sockets", domains, take3, layers.MsgEgress, 5, 5, ""},
		{"sockets for nobody", domains, nil, layers.MsgEgress, 5, 0, ""},
		{"sockets that cannot be served", domains, fails, layers.MsgEgress, 5, 0, "network: serve: no memory"},
		{"one too few", domains, take3, layers.MsgEgress, 4, 0, "other sockets than the expected ones"},
		{"sockets that no policy asks for", policy.Policy{}, take3, layers.MsgEgress, 5, 0, "other sockets than the expected ones"},
		{"a listener", domains, take3, layers.MsgListener, 1, 1, ""},
		{"two listeners", domains, take3, layers.MsgListener, 2, 0, "nobody expects"},
		{"the table of mounts", policy.Policy{}, nil, layers.MsgMounts, 1, 1, ""},
		{"two tables", policy.Policy{}, nil, layers.MsgMounts, 2, 0, "nobody expects"},
		{"a folder of the private files", policy.Policy{}, nil, layers.MsgRoom, 1, 1, ""},
		{"two folders", policy.Policy{}, nil, layers.MsgRoom, 2, 0, "nobody expects"},
		{"another message", domains, take3, layers.MsgReady, 1, 0, "nobody expects"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got = served{}
			a, send := waiting(t, Config{Policy: c.policy, Network: Network{Egress: c.egress}})
			fds := files(t, c.files)
			before := openFiles(t)
			if err := unix.Sendmsg(send, []byte(c.text), unix.UnixRights(fds...), nil, 0); err != nil {
				t.Fatal(err)
			}
			m, err := readMessage(a.Pipes.Ready)
			if err != nil || m.pid != os.Getpid() || m.text != c.text || len(m.carried) != c.files {
				t.Fatalf("%+v, %v", m, err)
			}
			switch err = take(a, &m); {
			case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("%v, want %q", err, c.want)
			}
			if n := openFiles(t) - before; n != c.kept {
				t.Errorf("%d descriptors are kept", n)
			}
			for i, s := range got.sockets {
				if s.EgressSocket != layers.EgressSockets(&c.policy, &a.Machine)[i] || s.FD != m.carried[i] {
					t.Errorf("%d: %+v", i, s)
				}
			}
			a.CloseEgress()
			a.CloseEgress()
			a.Listener.Close()
			closeAll([]int{a.kept.mounts, TakeRoom(&a.Sandbox)})
			if n := openFiles(t) - before; n != 0 || len(got.sockets) > 0 && !got.closed {
				t.Errorf("%d descriptors are left", n)
			}
		})
	}
}

// Init's sockets are taken from init alone.
func TestTakeFromAnother(t *testing.T) {
	for text, n := range map[string]int{layers.MsgEgress: 5, layers.MsgPublish: layers.PublishReady,
		layers.MsgMounts: 1, layers.MsgRoom: 1} {
		a, send := waiting(t, Config{})
		a.Init.PID++
		if err := unix.Sendmsg(send, []byte(text), unix.UnixRights(files(t, n)...), nil, 0); err != nil {
			t.Fatal(err)
		}
		m, err := readMessage(a.Pipes.Ready)
		if err == nil {
			err = take(a, &m)
		}
		if err == nil || !strings.Contains(err.Error(), "nobody expects") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Where the limit of open files cuts a message, what came is closed, and the launch is refused with EMFILE.
func TestMessageIsCut(t *testing.T) {
	a, send := waiting(t, Config{})
	if err := unix.Sendmsg(send, []byte("e"), unix.UnixRights(files(t, 20)...), nil, 0); err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	var was unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = uint64(before) + 8
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	_, err := readMessage(a.Pipes.Ready)
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(err, unix.EMFILE) {
		t.Error(err)
	}
	if n := openFiles(t) - before; n != 0 {
		t.Errorf("%d descriptors are left", n)
	}
}

// Of the packets of a server that runs each is answered. The rest is not: of hundreds the answers would leave no room
// for the parent's exit status.
func TestPacketsThatAreAnswered(t *testing.T) {
	p, files, err := NewParent(&policy.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	defer closeAll([]int{files.Program, files.Ready})
	got := ""
	p.PID, p.Packet = os.Getpid(), func(b []byte) { got += string(b) }
	for _, text := range []string{layers.MsgPacket + "1", layers.MsgRest + "2", layers.MsgRest + "3", layers.MsgEnded} {
		if err := unix.Send(files.Ready, []byte(text), 0); err != nil {
			t.Fatal(err)
		}
	}
	p.await(unix.Poll, func() bool { return p.reaped })
	answers := 0
	for b := make([]byte, 64); ; answers++ {
		n, _, err := unix.Recvfrom(files.Ready, b, unix.MSG_DONTWAIT)
		if err != nil {
			break
		}
		if want := layers.ParentMessage(layers.ParentListens, 0); string(b[:n]) != string(want) {
			t.Errorf("%q, want %q", b[:n], want)
		}
	}
	if got != "123" || answers != 1 {
		t.Errorf("packets %q, %d answers", got, answers)
	}
}

// A parent that was given up while it made init is given up for good: what asked for that is told once.
func TestAdoptRemembers(t *testing.T) {
	asked, calls := errors.New("asked to end"), 0
	a, _ := waiting(t, Config{Interrupt: Interrupt{Poll: func([]unix.PollFd, int) (int, error) { return 0, nil }, Check: func([]unix.PollFd) error {
		if calls++; calls == 1 {
			return asked
		}
		return errors.New("something else")
	}}})
	a.launch.began, a.launch.Hooks.Timeout = time.Now(), time.Minute
	p := &Parent{Told: Told{FD: -1, socket: a.Pipes.Ready}}
	for range 2 {
		if err := p.adopt(a); !errors.Is(err, asked) {
			t.Errorf("%v, want %v", err, asked)
		}
	}
}
