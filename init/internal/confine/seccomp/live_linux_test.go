package seccomp

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// childMode names what a re-executed test binary does instead of testing.
const childMode = "FILTER_TEST_CHILD"

func init() {
	if os.Getenv(childMode) != "" {
		runtime.LockOSThread() // the main thread, for all that comes
	}
}

func TestMain(m *testing.M) {
	switch mode := os.Getenv(childMode); mode {
	case "":
		os.Exit(m.Run())
	case "probe":
		probeChild(probes, Options{})
	case "stricter":
		uname, _ := Number("uname")
		probeChild(stricter, Options{NoUnix: true, NoInet: true, NoNetlink: true, NoIPC: true, NoPeers: true, Deny: []uint32{uname}})
	case "variants":
		variantsChild()
	case "exec", "traced":
		execChild(mode)
	case "threads":
		threadsChild()
	case "time":
		timeChild()
	default:
		fmt.Fprintln(os.Stderr, "no child", mode)
		os.Exit(2)
	}
}

// child is a command that runs this binary in a mode.
func child(t *testing.T, mode string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	return cmd
}

// fatal ends a child.
func fatal(args ...any) {
	fmt.Println(args...)
	os.Exit(3)
}

func (p *probe) try(where *place) unix.Errno {
	a := p.args(where)
	r, _, errno := unix.RawSyscall6(p.number, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno == 0 && p.fd {
		unix.Close(int(r))
	}
	return errno
}

// probeChild makes every call, loads the filter, checks it, and makes every call again.
func probeChild(probes []probe, o Options) {
	dir, err := os.MkdirTemp("", "filter")
	if err != nil {
		fatal(err)
	}
	where := newPlace(dir)
	before := make([]unix.Errno, len(probes))
	for i := range probes {
		before[i] = probes[i].try(where)
		os.Remove(dir + "/fresh")
	}
	unix.RawSyscall(unix.SYS_PERSONALITY, 0, 0, 0)
	outer, _ := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0) // a container's own filter: it may refuse the control
	program, err := Program(runtime.GOARCH, o)
	if err == nil {
		err = load(program)
	}
	if err != nil {
		fatal(err)
	}
	if mode, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); mode != 2 || err != nil {
		fatal("PR_GET_SECCOMP", mode, err)
	}
	for i, p := range probes {
		after := p.try(where)
		switch {
		case p.after == 0 && after != before[i]:
			fmt.Printf("%s: %v without the filter, %v with it\n", p.name, before[i], after)
		case p.after != 0 && after != p.after:
			fmt.Printf("%s: %v, want %v\n", p.name, after, p.after)
		case p.after != 0 && before[i] == p.after && outer == 2:
			fmt.Printf("ok %s: NO CONTROL, another filter is outside\n", p.name)
		case p.after != 0 && before[i] == p.after:
			fmt.Printf("%s: no control, %v without the filter too\n", p.name, before[i])
		default:
			fmt.Printf("ok %s: %d, then %d\n", p.name, before[i], after)
		}
	}
	os.RemoveAll(dir)
	os.Exit(0)
}

// variantsChild loads every variant, and one with as much denied as can be, each into a thread that ends with it.
func variantsChild() {
	all := map[string]Options{"much": muchDenied()}
	for name, o := range variants {
		all[name] = o
	}
	for name, o := range all {
		program, err := Program(runtime.GOARCH, o)
		if err != nil {
			fatal(name, err)
		}
		done := make(chan error)
		go func() {
			runtime.LockOSThread() // never unlocked
			done <- load(program)
		}()
		if err := <-done; err != nil {
			fatal(name, err)
		}
	}
	fmt.Println("loaded", len(all))
	os.Exit(0)
}

// TestVariantsLoad: the kernel's own checker takes every program.
func TestVariantsLoad(t *testing.T) {
	out, err := child(t, "variants").CombinedOutput()
	if want := fmt.Sprintln("loaded", len(variants)+1); err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestLive loads the filter into a process and tries it.
func TestLive(t *testing.T) {
	for mode, probes := range map[string][]probe{"probe": probes, "stricter": stricter} {
		out, err := child(t, mode).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", mode, err, out)
		}
		passed := 0
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			if strings.HasPrefix(line, "ok ") {
				passed++
				t.Log(mode, line)
			} else {
				t.Error(mode, line)
			}
		}
		if passed != len(probes) {
			t.Errorf("%s: %d of %d probes", mode, passed, len(probes))
		}
	}
}
