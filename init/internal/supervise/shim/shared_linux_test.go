package shim_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/platform"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"golang.org/x/sys/unix"
)

// actFlag makes this test binary a server that tries what a server without namespaces must not, and says how each went.
const actFlag = "-acts-without-namespaces"

// An act is one of them, with what comes back from Landlock's version abi on, and before. Outside each of them goes
// through.
type act struct {
	name  string
	abi   int
	want  string
	older string
	try   func(s stage, init, shim, stranger int) error
}

func acts() []act {
	kill := func(pid func(init, shim, stranger int) int, sig unix.Signal) func(stage, int, int, int) error {
		return func(_ stage, init, shim, stranger int) error { return unix.Kill(pid(init, shim, stranger), sig) }
	}
	open := func(name string, flags int) func(stage, int, int, int) error {
		return func(s stage, _, _, _ int) error {
			fd, err := unix.Open(s.Path(name), flags|unix.O_CLOEXEC, 0o600)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}
	}
	socket := func(family, kind int) func(stage, int, int, int) error {
		return func(stage, int, int, int) error {
			fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}
	}
	const denied, unsupported, ok = "permission denied", "address family not supported by protocol", "ok"
	const refused = "operation not permitted"
	return []act{
		{"read a grant", 1, ok, "", open("read/file", unix.O_RDONLY)},
		{"write a grant", 1, ok, "", open("write/note", unix.O_RDWR|unix.O_TRUNC)},
		{"make in a grant", 1, ok, "", open("write/new", unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL)},
		{"rename in a grant", 1, ok, "", func(s stage, _, _, _ int) error { return os.Rename(s.Path("write/new"), s.Path("write/newer")) }},
		{"rename across folders", 2, ok, "invalid cross-device link", func(s stage, _, _, _ int) error {
			return os.Rename(s.Path("write/newer"), s.Path("write/deep/newest"))
		}},
		{"read what is not granted", 1, denied, "", open("home/key", unix.O_RDONLY)},
		{"write a read grant", 1, denied, "", open("read/file", unix.O_WRONLY)},
		{"cut a read grant", 3, denied, refused, open("read/file", unix.O_RDONLY|unix.O_TRUNC)},
		{"cut it with no right at all", 3, denied, refused, open("read/file", 3|unix.O_TRUNC)},
		{"truncate a read grant", 3, denied, refused, func(s stage, _, _, _ int) error { return unix.Truncate(s.Path("read/file"), 0) }},
		{"read a file granted alone", 1, ok, "", open("file", unix.O_RDONLY)},
		{"write a file granted alone", 1, denied, "", open("file", unix.O_RDWR)},
		{"append to a file granted alone", 1, denied, "", open("file", unix.O_WRONLY|unix.O_APPEND)},
		{"cut a file granted alone", 3, denied, refused, open("file", unix.O_RDONLY|unix.O_TRUNC)},
		{"truncate a file granted alone", 3, denied, refused, func(s stage, _, _, _ int) error { return unix.Truncate(s.Path("file"), 0) }},
		{"truncate what is not granted", 3, denied, refused, func(s stage, _, _, _ int) error { return unix.Truncate(s.Path("home/key"), 0) }},
		{"link out of a read grant", 1, "invalid cross-device link", "", func(s stage, _, _, _ int) error {
			return unix.Link(s.Path("read/file"), s.Path("write/link"))
		}},
		{"make in /tmp", 1, denied, "", func(s stage, _, _, _ int) error {
			fd, err := unix.Open("/tmp/mcp-sandbox-"+filepath.Base(s.Dir), unix.O_WRONLY|unix.O_CREAT|unix.O_CLOEXEC, 0o600)
			if err == nil {
				unix.Close(fd)
			}
			return err
		}},
		{"make in TMPDIR", 1, ok, "", func(s stage, _, _, _ int) error { return os.WriteFile(os.Getenv("TMPDIR")+"/f", nil, 0o600) }},
		{"make in HOME", 1, ok, "", func(s stage, _, _, _ int) error { return os.WriteFile(os.Getenv("HOME")+"/f", nil, 0o600) }},
		{"list the private folder", 1, denied, "", func(s stage, _, _, _ int) error {
			_, err := os.ReadDir(filepath.Dir(os.Getenv("TMPDIR")))
			return err
		}},
		{"the launcher's memory", 1, denied, "", func(s stage, _, shim, _ int) error {
			f, err := os.Open("/proc/" + strconv.Itoa(shim) + "/mem")
			f.Close()
			return err
		}},
		{"a stranger's environment", 1, denied, "", func(s stage, _, _, stranger int) error {
			_, err := os.ReadFile("/proc/" + strconv.Itoa(stranger) + "/environ")
			return err
		}},
		{"a stranger's oom_score_adj", 1, denied, "", func(_ stage, _, _, stranger int) error {
			return os.WriteFile("/proc/"+strconv.Itoa(stranger)+"/oom_score_adj", []byte("1000"), 0)
		}},
		{"its own timerslack_ns", 1, denied, "", func(stage, int, int, int) error {
			return os.WriteFile("/proc/self/timerslack_ns", []byte("1"), 0)
		}},
		{"signal init", 1, refused, "", kill(func(init, _, _ int) int { return init }, 0)},
		{"signal the launcher", 1, refused, "", kill(func(_, shim, _ int) int { return shim }, 0)},
		{"signal init's group", 1, refused, "", kill(func(init, _, _ int) int { return -init }, 0)},
		{"signal a stranger", 6, refused, ok, kill(func(_, _, stranger int) int { return stranger }, 0)},
		{"signal its own group", 1, ok, "", kill(func(int, int, int) int { return 0 }, 0)},
		{"signal by queue", 1, refused, "", func(_ stage, init, _, _ int) error {
			if e := sigqueue(init, 0); e != 0 {
				return e
			}
			return nil
		}},
		{"signal by pidfd", 6, refused, "function not implemented", func(_ stage, init, _, _ int) error {
			fd, err := unix.PidfdOpen(init, 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		}},
		{"join init's group", 1, refused, "", func(_ stage, init, _, _ int) error { return unix.Setpgid(0, init) }},
		{"limit the launcher", 1, refused, "", func(_ stage, _, shim, _ int) error {
			return unix.Prlimit(shim, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}, nil)
		}},
		{"socket inet", 1, unsupported, "", socket(unix.AF_INET, unix.SOCK_STREAM)},
		{"socket inet6", 1, unsupported, "", socket(unix.AF_INET6, unix.SOCK_DGRAM)},
		{"socket netlink", 1, unsupported, "", socket(unix.AF_NETLINK, unix.SOCK_RAW)},
		{"socket unix", 9, ok, unsupported, socket(unix.AF_UNIX, unix.SOCK_STREAM)},
		{"socketpair", 1, ok, "", func(stage, int, int, int) error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
			return err
		}},
		{"socketpair of datagrams", 9, ok, unsupported, func(stage, int, int, int) error {
			_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			return err
		}},
		{"shared memory", 1, refused, "", func(stage, int, int, int) error {
			id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, unix.IPC_CREAT|0o600)
			if err == nil {
				_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
			}
			return err
		}},
		{"snapshot of a subvolume", 1, refused, "", func(stage, int, int, int) error {
			return unix.IoctlSetInt(0, 0x50009401, 0)
		}},
		{"a user namespace", 1, refused, "", func(stage, int, int, int) error { return unix.Unshare(unix.CLONE_NEWUSER) }},
	}
}

// actAll is the server: args are the stage and a stranger. /proc tells it the launcher.
func actAll(args []string) int {
	init := os.Getppid()
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(init) + "/stat")
	s, _ := platform.ParseStat(stat)
	stranger, _ := strconv.Atoi(args[1])
	for _, a := range acts() {
		said := "ok"
		if err := a.try(stage{altered.Stage{Dir: args[0]}}, init, s.Parent, stranger); err != nil {
			said = err.Error()
			if i := strings.LastIndex(said, ": "); i >= 0 {
				said = said[i+2:]
			}
		}
		fmt.Printf("%s\t%s\n", a.name, said)
	}
	return 0
}

// What confinement reduced refuses on every version of Landlock, and what it lets pass.
func TestReducedActs(t *testing.T) {
	machine, err := platform.LandlockABI()
	if err != nil || machine == 0 {
		testbed.Missing(t, "landlock", "without Landlock there is no confinement reduced")
	}
	exe := testbed.Self(t, "self")
	for _, abi := range []int{machine, 5, 4, 3, 2, 1} {
		t.Run(strconv.Itoa(abi), func(t *testing.T) {
			s := build(t, "/var/tmp")
			if err := os.WriteFile(s.Path("home/key"), []byte("secret"), 0o666); err != nil {
				t.Fatal(err)
			}
			os.Chmod(s.Path("home/key"), 0o666)
			l := s.Launch(altered.Weaker(strings.Replace(grants, `"STAGE/read"`, `"STAGE/read","STAGE/file"`, 1), "reduced"), "")
			l.ABI = abi
			l.Command = []string{exe, actFlag, s.Dir, stranger(t)}
			o := altered.Run(t, l)
			if o.Code != 0 {
				t.Fatalf("code %d, %v\n%s", o.Code, o.Report, o.Stderr)
			}
			said := map[string]string{}
			for line := range strings.Lines(o.Stdout) {
				name, word, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
				said[name] = word
			}
			for _, a := range acts() {
				want := a.want
				if abi < a.abi {
					want = a.older
				}
				if said[a.name] != want {
					t.Errorf("%s: %q, want %q", a.name, said[a.name], want)
				}
			}
			for _, kept := range []string{"read/file", "file", "home/key"} {
				if b, err := os.ReadFile(s.Path(kept)); err != nil || len(b) == 0 {
					t.Errorf("%s: %q, %v", kept, b, err)
				}
			}
		})
	}
}

// stranger is a process of the user that the server is.
func stranger(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("/bin/sleep", "600")
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65533, Gid: 65533}}
	}
	return strconv.Itoa(testbed.Background(t, cmd))
}
