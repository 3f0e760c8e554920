package shim_test

import (
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// The main goroutine stays on the first thread from an init function on, and only from there: main may already run on another.
func init() {
	if slices.Contains(os.Args, "headless") {
		runtime.LockOSThread()
	}
}

// headless is a server whose first thread ends while another goes on: /proc/PID/stat calls its process a zombie from then on.
// With "leave" it is a child of the server, in a session of its own, and the server ends.
func headless(words []string) {
	if words[0] == "leave" {
		cmd := testbed.As(floodFlag, "headless", words[1])
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Start()
		testbed.Comes(func() bool {
			_, err := os.Stat(words[1] + ".ready")
			return err == nil
		})
		return
	}
	runtime.GOMAXPROCS(2)
	self := unix.Getpid()
	runs := make(chan bool)
	go func() {
		runs <- true // on a thread of its own, before the first one ends with what it has of Go's scheduler
		testbed.Comes(func() bool { return unix.Tgkill(self, self, 0) != nil || zombie() })
		os.WriteFile(words[0]+".ready", nil, 0o666)
		testbed.Span(flooded)
		os.Exit(9)
	}()
	<-runs
	unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
}

func zombie() bool {
	b, _ := os.ReadFile("/proc/self/stat")
	return strings.Contains(string(b), ") Z ")
}

// A process whose first thread has ended lives as long as another of its threads does, and ends with the sandbox like any other.
func TestFirstThreadEnds(t *testing.T) {
	exe := testbed.Self(t, "self")
	for _, confinement := range []string{"full", "reduced", "limits"} {
		for name, words := range map[string][]string{"server": {"STAGE/write/at"}, "left behind": {"leave", "STAGE/write/at"}} {
			t.Run(confinement+"/"+name, func(t *testing.T) {
				t.Parallel() // most of it is the time limit
				s := build(t, "/var/tmp")
				doc := `{"version":1,"filesystem":{"allowWrite":["STAGE/write"]},"limits":{"timeout":"3s","grace":"200ms"}}`
				l := s.Launch(altered.Weaker(doc, confinement), "")
				l.Command = []string{exe, floodFlag, "headless"}
				for _, w := range words {
					l.Command = append(l.Command, strings.Replace(w, "STAGE", s.Dir, 1))
				}
				o := altered.Run(t, l)
				_, err := os.Stat(s.Path("write/at.ready"))
				for range 3 { // on a busy machine a program may not come so far in its three seconds
					if err == nil {
						break
					}
					o = altered.Run(t, l)
					_, err = os.Stat(s.Path("write/at.ready"))
				}
				last := o.Report[len(o.Report)-1]
				wall, _ := last["wallSeconds"].(float64)
				if err != nil {
					t.Fatalf("no process without a first thread: %v\n%v\n%s", err, last, o.Stderr)
				}
				cause := map[string]string{"server": "timeout", "left behind": "exit"}[name]
				if last["cause"] != cause || last["killed"] != 1.0 || wall > flooded.Seconds()/2 {
					t.Errorf("%v\n%s", last, o.Stderr)
				}
			})
		}
	}
}
