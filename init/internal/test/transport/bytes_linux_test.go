package transport_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

const theEnd = "the end\n"

// text is so many bytes of messages with every kind of character in them, in lines of all lengths.
func text(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	letters := []rune("abc \"\\/<>&\t\u0001äß漢字🙂\u2028\ufeff")
	var b bytes.Buffer
	for b.Len() < n {
		s := make([]rune, 1<<r.IntN(14))
		for i := range s {
			s[i] = letters[r.IntN(len(letters))]
		}
		line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": b.Len(), "result": string(s)})
		if err != nil {
			panic(err) // strings always encode
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func longLine() []byte {
	return []byte(`{"result":"` + string(bytes.Repeat([]byte("0123456789"), 500_000)) + `","jsonrpc":"2.0"}` + "\n")
}

// A way is how a host and a server are connected. Carry gives the server its input and returns all of its output.
type way struct {
	name  string
	carry func(t *testing.T, l launch, in []byte, slow bool) []byte
}

var ways = []way{{"pipes", overPipes}, {"sockets", overSockets},
	{"IPv4", overInternet("tcp4")}, {"IPv6", overInternet("tcp6")}, {"files", overFiles}, {"terminal", overTerminal}}

// What a server gets and says is the same byte for byte with the sandbox in between, which the bare server shows to be
// demanded of the server and not of the test.
func TestByteForByte(t *testing.T) {
	payloads := []struct {
		name string
		text []byte
		slow bool
	}{{"10 MB of lines", text(10 << 20), false}, {"a line of 5 MB", longLine(), false}, {"slow reader", text(1 << 20), true}}
	for _, w := range ways {
		for _, p := range payloads {
			for _, l := range []launch{{Bare: true}, {}, {Launch: host.Launch{Guard: true}}, {Launch: host.Launch{TTY: true}}} {
				if l.Bare && testing.Short() && p.name != "a line of 5 MB" {
					continue // one shows that for a way
				}
				if l.Guard && w.name == "terminal" || l.TTY && w.name != "terminal" {
					continue
				}
				if l.Guard && w.name != "pipes" && len(p.text) > 6<<20 {
					continue // the guard is the same, and slow with -race
				}
				t.Run(fmt.Sprintf("%s/%s/bare=%v,guard=%v,tty=%v", w.name, p.name, l.Bare, l.Guard, l.TTY), func(t *testing.T) {
					l.Command = serve(t, "echo")
					var got []byte
					want := p.text
					if w.name == "terminal" { // which has no half-close
						l.Command = append(l.Command, strconv.Itoa(len(p.text)))
					}
					if !l.Guard {
						want = append(want[:len(want):len(want)], theEnd...)
					}
					within(t, "transport", func() { got = w.carry(t, l, p.text, p.slow) })
					if !bytes.Equal(got, want) {
						t.Errorf("%d bytes came of %d", len(got), len(want))
					}
				})
			}
		}
	}
}

// drained reads to the end; a slow reader, who takes a few bytes at a time, lets every buffer on the way run full.
func drained(r io.Reader, slow bool) []byte {
	var all []byte
	b := make([]byte, 100<<10)
	if slow {
		b = b[:50]
	}
	for {
		n, err := r.Read(b)
		all = append(all, b[:n]...)
		if err != nil {
			return all
		}
	}
}

func overPipes(t *testing.T, l launch, in []byte, slow bool) []byte {
	cmd := l.cmd(t)
	w, err := cmd.StdinPipe()
	if err != nil {
		t.Error(err)
	}
	r, err := cmd.StdoutPipe()
	if err != nil {
		t.Error(err)
	}
	return talk(t, cmd, w, r, in, slow, nil)
}

// talk starts a command, says everything and half-closes, and hears everything.
func talk(t *testing.T, cmd *exec.Cmd, w io.WriteCloser, r io.Reader, in []byte, slow bool, started func()) []byte {
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	if started != nil {
		started()
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		w.Write(in)
		w.Close()
	}()
	all := drained(r, slow)
	<-said
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return all
}

// A half is a socket of which only one direction is closed.
type half struct{ *os.File }

func (h half) Close() error { return unix.Shutdown(int(h.Fd()), unix.SHUT_WR) }

// overSockets does as hosts on Node do: one pair for each direction.
func overSockets(t *testing.T, l launch, in []byte, slow bool) []byte {
	cmd := l.cmd(t)
	var own, theirs [2]*os.File
	for i := range own {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Error(err)
		}
		own[i], theirs[i] = os.NewFile(uintptr(pair[0]), "own"), os.NewFile(uintptr(pair[1]), "theirs")
	}
	cmd.Stdin, cmd.Stdout = theirs[0], theirs[1]
	defer closeAll(own[0], own[1])
	return talk(t, cmd, half{own[0]}, own[1], in, slow, func() { closeAll(theirs[0], theirs[1]) })
}

// overInternet does as inetd(8) does, and systemd for a socket with Accept=yes: one connection for both directions.
func overInternet(network string) func(*testing.T, launch, []byte, bool) []byte {
	return func(t *testing.T, l launch, in []byte, slow bool) []byte {
		cmd := l.cmd(t)
		own, theirs := testbed.Stream(t, network)
		cmd.Stdin, cmd.Stdout = theirs, theirs
		return talk(t, cmd, half{own}, own, in, slow, func() { theirs.Close() })
	}
}

func overFiles(t *testing.T, l launch, in []byte, _ bool) []byte {
	cmd := l.cmd(t)
	dir := testbed.Folder(t)
	from, to := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	if err := os.WriteFile(from, append([]byte("not this\n"), in...), 0o644); err != nil {
		t.Error(err)
	}
	r, err := os.Open(from)
	if err != nil {
		t.Error(err)
	}
	r.Seek(int64(len("not this\n")), io.SeekStart)
	w, err := os.Create(to)
	if err != nil {
		t.Error(err)
	}
	defer closeAll(r, w)
	w.WriteString("before\n")
	cmd.Stdin, cmd.Stdout = r, w
	if err := cmd.Run(); err != nil {
		t.Error(err)
	}
	w.WriteString("behind\n")
	all, err := os.ReadFile(to)
	if err != nil {
		t.Error(err)
	}
	all, before := bytes.CutPrefix(all, []byte("before\n"))
	all, behind := bytes.CutSuffix(all, []byte("behind\n"))
	if !before || !behind {
		t.Errorf("the host's own lines: %v before, %v behind", before, behind)
	}
	return all
}

// overTerminal is a host that has a server in a terminal, which passes everything on as it is.
func overTerminal(t *testing.T, l launch, in []byte, slow bool) []byte {
	cmd := l.cmd(t)
	master, slave, err := pty.Open()
	if err != nil {
		t.Error(err)
		return nil
	}
	defer master.Close()
	makeRaw(t, slave)
	cmd.Stdin, cmd.Stdout = slave, slave
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Error(err)
		return nil
	}
	slave.Close()
	go master.Write(in)
	all := drained(master, slow)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	return all
}

func makeRaw(t *testing.T, f *os.File) {
	modes, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err == nil {
		modes.Iflag, modes.Oflag, modes.Lflag = 0, 0, 0
		err = unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, modes)
	}
	if err != nil {
		t.Error(err)
	}
}
