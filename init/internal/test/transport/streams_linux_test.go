package transport_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// inetd gives one connection as standard input, output and error: what the server writes to the last two keeps its
// order, and the end of the server is the end of the connection, while its host has not said its last.
func TestOneConnectionForAll(t *testing.T) {
	for _, network := range []string{"tcp4", "tcp6"} {
		t.Run(network, func(t *testing.T) {
			const words = "while read x; do echo out $x; echo err $x >&2; done"
			cmd := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", words + "; exit 3"}}}.cmd(t)
			own, theirs := testbed.Stream(t, network)
			cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			theirs.Close()
			in := bufio.NewReader(own)
			for _, x := range []string{"1", "2", "3"} { // an answer comes while the connection is open
				own.WriteString(x + "\n")
				for _, want := range []string{"out " + x + "\n", "err " + x + "\n"} {
					line, err := in.ReadString('\n')
					for strings.HasPrefix(line, "mcp-sandbox: ") {
						line, err = in.ReadString('\n')
					}
					if line != want {
						t.Fatalf("%q, %v, want %q", line, err, want)
					}
				}
			}
			unix.Shutdown(int(own.Fd()), unix.SHUT_WR)
			rest, err := io.ReadAll(in)
			if len(rest) > 0 || err != nil {
				t.Errorf("%q, %v", rest, err)
			}
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 3 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// A server that does not read makes its host wait, as over a pipe: the shim does not gather what it cannot hand on.
func TestStreamPushesBack(t *testing.T) {
	cmd := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", "echo ready; sleep 1000"}}}.cmd(t)
	own, theirs := testbed.Stream(t, "tcp4")
	out, to := pipeTo(t)
	cmd.Stdin, cmd.Stdout = theirs, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	defer cmd.Wait()
	defer cmd.Process.Signal(unix.SIGKILL)
	out.Read(make([]byte, 10))
	fd := int(own.Fd()) // which makes the descriptor one that blocks
	unix.SetNonblock(fd, true)
	const most = 64 << 20 // buffers of the kernel's grow up to net.ipv4.tcp_wmem and tcp_rmem
	sent := 0
	for b, full := make([]byte, 64<<10), false; !full && sent < most; {
		if n, err := unix.Write(fd, b); err == nil {
			sent += n
		} else if err == unix.EAGAIN { // until the shim goes on or does not want what has come
			testbed.Await(t, "room, or a shim that sleeps beside bytes", func() bool {
				full = sleepsBeside(cmd.Process.Pid, theirs)
				n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 0)
				return full || n > 0
			})
		} else {
			t.Fatal(err)
		}
	}
	if sent >= most {
		t.Error("what the server does not read is taken without end")
	}
}

// sleepsBeside reports whether all threads of a process slept while there was something to read from a stream: who
// wants it is awake as soon as it comes.
func sleepsBeside(pid int, stream *os.File) bool {
	before := testbed.Sleeps(pid)
	there, err := unix.IoctlGetInt(int(stream.Fd()), unix.TIOCINQ)
	if err != nil || there == 0 {
		return false
	}
	threads, _ := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/stat")
	for _, path := range threads {
		b, err := os.ReadFile(path)
		if err != nil || b[bytes.LastIndexByte(b, ')')+2] != 'S' {
			return false
		}
	}
	return len(threads) > 0 && testbed.Sleeps(pid) == before
}

// A host that resets its connection is gone: the server that writes gets SIGPIPE, the launcher says nothing of its own.
func TestStreamReset(t *testing.T) {
	cmd := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", "echo ready; read x; while echo x; do :; done"}}}.cmd(t)
	own, theirs := testbed.Stream(t, "tcp4")
	var errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	own.Read(make([]byte, 10))
	own.WriteString("go\n")
	own.Read(make([]byte, 10))
	if err := unix.SetsockoptLinger(int(own.Fd()), unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1}); err != nil {
		t.Fatal(err)
	}
	own.Close()
	within(t, "the end", func() { cmd.Wait() })
	if code := cmd.ProcessState.ExitCode(); code != 128+int(unix.SIGPIPE) || strings.Contains(errs.String(), "write what the server says") {
		t.Errorf("exit code %d\n%s", code, errs.String())
	}
}

// A stream that two processes read of: what another one took does not make the launcher wait.
func TestStreamIsShared(t *testing.T) {
	cmd := launch{Launch: host.Launch{Command: []string{"/bin/sh", "-c", "echo ready; exec cat"}}}.cmd(t)
	own, theirs := testbed.Stream(t, "tcp4")
	out, to := pipeTo(t)
	cmd.Stdin, cmd.Stdout = theirs, to
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	to.Close()
	in := bufio.NewReader(out)
	in.ReadString('\n')
	steal := make([]byte, 1)
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for {
			n, _, err := unix.Recvfrom(int(theirs.Fd()), steal, unix.MSG_DONTWAIT)
			if n == 0 && err == nil {
				return
			}
		}
	}()
	for range 200 {
		own.WriteString("xy")
	}
	cmd.Process.Signal(os.Signal(unix.SIGTERM)) // a launcher in the middle of a read that waits would not hear it
	within(t, "the end", func() { cmd.Wait() })
	unix.Shutdown(int(own.Fd()), unix.SHUT_WR)
	<-stop
}
