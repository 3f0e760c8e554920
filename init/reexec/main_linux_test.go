package reexec_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/ask"
	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// hostName is argument 0 of this test binary when it is the host of a test: who starts a shim is its parent.
const hostName = "reexec.test host"

// callerName is argument 0 of this test binary when it calls one function of this package.
const callerName = "reexec.test caller"

func call(words []string) int {
	name := words[0]
	o, err := newOrder()
	switch {
	case err != nil:
	case name == "run":
		return reexec.Run(o)
	case name == "in vain":
		err = execInVain(o)
	case name == "exec":
		err = reexec.Exec(o)
	default:
		var lines []string
		if lines, err = ask.Calls(o); err == nil {
			os.Stdout.WriteString(strings.Join(lines, "\n"))
			return 0
		}
	}
	println(err.Error())
	return 125
}

// execInVain calls Exec where execve(2) fails, and finds out what that has done to this process.
func execInVain(o *order.Order) error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer w.Close()
	if err = unix.Dup3(int(r.Fd()), 3, 0); err != nil {
		return err
	}
	var was, is unix.Stat_t
	o.ReportFD = 3
	os.Setenv("HOME", "/"+strings.Repeat("x", 1<<20)) // too long for the kernel
	err = errors.Join(unix.Fstat(3, &was), reexec.Exec(o), unix.Fstat(3, &is))
	if was.Ino != is.Ino || o.ReportFD != 3 {
		return errors.New("descriptor 3 is another")
	}
	return err
}

// TestMain makes the test binary a host, the shim that this host starts, and a second host between the two.
func TestMain(m *testing.M) {
	reexec.Init()
	testbed.Roles{hostName: host, callerName: call}.Play()
	os.Exit(testbed.Run(m))
}

// A start is one way to start a shim; the zero start but for Binary is the right one.
type start struct {
	Binary  string // a copy of this test binary
	Args    []string
	Order   string // "unsealed", "file", "pipe", "half" (writable), "empty", "garbage", "none"
	Socket  string // "stream", "datagram", "pipe", "none"
	Given   bool   // descriptors 3 and 4 are the caller's already: its socket is not the parent's
	RealUID int    // start with this real id and the effective one as it is
	Reaper  bool   // a parent of orphans executes the shim, as init does; descriptor 3 becomes the one of the private folder
}

// host starts a shim as told and passes its status on. What the server says goes through.
func host(words []string) int {
	var s start
	if json.Unmarshal([]byte(words[0]), &s) != nil {
		return testbed.WrongRole
	}
	if s.Reaper {
		err := errors.Join(platform.SetChildSubreaper(), unix.Dup3(3, layers.ReaperFolder, 0))
		println(errors.Join(err, unix.Exec(s.Binary, append([]string{reexec.Name}, s.Args...), reexec.ChildEnv())).Error())
		return testbed.WrongRole
	}
	cmd, err := s.command()
	if err != nil {
		println(err.Error())
		return testbed.WrongRole
	}
	if s.RealUID != 0 {
		if err := unix.Setreuid(s.RealUID, -1); err != nil {
			println(err.Error())
			return testbed.WrongRole
		}
	}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		println(err.Error())
		return testbed.WrongRole
	}
	return cmd.ProcessState.ExitCode()
}

// command is the shim's, with its order and its socket.
func (s *start) command() (*exec.Cmd, error) {
	cmd := exec.Command(s.Binary)
	cmd.Args = append([]string{reexec.Name}, s.Args...)
	if s.Args == nil {
		cmd.Args = []string{reexec.Name, reexec.ByHost}
	}
	cmd.Env, cmd.Dir = reexec.ChildEnv(), "/"
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if s.Given {
		cmd.ExtraFiles = []*os.File{os.NewFile(3, "order"), os.NewFile(4, "socket")}
		return cmd, nil
	}
	down, err := s.order()
	if err != nil {
		return nil, err
	}
	up, err := s.socket()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{down, up}
	return cmd, nil
}

func (s *start) order() (*os.File, error) {
	o, err := newOrder()
	if err != nil {
		return nil, err
	}
	text := o.Encode()
	switch s.Order {
	case "none":
		return nil, nil
	case "file":
		return file(text)
	case "pipe":
		r, w, err := os.Pipe()
		if err == nil {
			_, err = w.Write(text)
		}
		return r, errors.Join(err, w.Close())
	case "unsealed":
		return memory(text, 0)
	case "half":
		return memory(text, unix.F_SEAL_SHRINK|unix.F_SEAL_GROW|unix.F_SEAL_SEAL)
	case "empty":
		text = nil
	case "garbage":
		text = append(text, 0)
	}
	fd, err := platform.Sealed("order", text)
	return os.NewFile(uintptr(fd), "order"), err
}

func newOrder() (*order.Order, error) {
	return order.New(policy.Policy{}, policy.Library, []string{"/bin/sh", "-c", "echo ran; exit 7"}, []string{"PATH=/usr/bin:/bin"}, "/")
}

func file(text []byte) (*os.File, error) {
	f, err := os.CreateTemp("", "order-")
	if err != nil {
		return nil, err
	}
	_, err = f.Write(text)
	_, err2 := f.Seek(0, 0)
	return f, errors.Join(err, err2, os.Remove(f.Name()))
}

// memory is a memory file with some seals only.
func memory(text []byte, seals int) (*os.File, error) {
	fd, err := unix.MemfdCreate("order", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "order")
	_, err = f.Write(text)
	_, err2 := f.Seek(0, 0)
	_, err3 := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals)
	return f, errors.Join(err, err2, err3)
}

func (s *start) socket() (*os.File, error) {
	kind := unix.SOCK_SEQPACKET
	switch s.Socket {
	case "none":
		return nil, nil
	case "pipe":
		_, w, err := os.Pipe()
		return w, err
	case "stream":
		kind = unix.SOCK_STREAM
	case "datagram":
		kind = unix.SOCK_DGRAM
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC, 0)
	return os.NewFile(uintptr(pair[1]), "socket"), err // pair[0] stays open until this process ends
}

// as runs a host in a process of its own, with ids if uid is not 0, and returns the shim's status and what was said.
func as(t *testing.T, binary string, uid int, s start, files ...*os.File) (code int, out, errs string) {
	t.Helper()
	request, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary)
	cmd.Args = []string{hostName, string(request)}
	cmd.ExtraFiles = files
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	return testbed.Finish(t, cmd)
}
