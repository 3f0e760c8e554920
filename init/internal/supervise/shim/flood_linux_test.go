package shim_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/altered"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// floodFlag makes this test binary a server that never pauses: it renames in folders, or reads a file.
const floodFlag = "-flood"

// flooded is how long such a server goes on by itself. A supervisor that it starves notices nothing before, and a test
// waits for half of that.
const flooded = 2 * time.Minute

func flood(words []string) int {
	paths := words[1:]
	signal.Ignore(unix.SIGTERM)
	end := time.Now().Add(flooded)
	switch words[0] {
	case "rename":
		for i := 0; time.Now().Before(end); i++ {
			for _, dir := range paths {
				os.WriteFile(dir+"/a", nil, 0o666)
				for j := range 200 {
					os.Rename(dir+"/"+string(rune('a'+j%2)), dir+"/"+string(rune('b'-j%2)))
				}
			}
		}
	case "headless":
		headless(paths)
	case "litter":
		litter(paths[0])
	case "terminals":
		touchTerminals(paths[0])
	case "awake":
		signal.Notify(make(chan os.Signal, 1), unix.SIGCONT)
		awake(200 * time.Microsecond)
		fallthrough
	case "read":
		os.WriteFile(paths[1]+".ready", nil, 0o666)
		reads := 0
		for time.Now().Before(end) {
			if _, err := os.Stat(paths[1]); err == nil {
				break
			}
			for range 1000 {
				if unix.Access(paths[0], unix.R_OK) == nil { // and holds nothing
					reads++
				}
			}
		}
		fmt.Println(reads, "times")
	}
	return 9
}

// server is this test binary as a server that never pauses.
func (s stage) flooding(t *testing.T, doc string, words ...string) launch {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := s.Launch(doc, "")
	l.Command = append([]string{exe, floodFlag}, words...)
	return l
}

// ticks is the processor time of a process, in hundredths of a second.
func ticks(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return user + system
}

// hardlyTakesPart compares the processor time of a supervisor with that of its server, for a second of the server's.
func hardlyTakesPart(t *testing.T, supervisor, server int) {
	t.Helper()
	works := func(until int) func() bool { return func() bool { return ticks(t, server) >= until } }
	testbed.Await(t, "the server's first tenth of a second", works(10))
	from, began, since := ticks(t, supervisor), ticks(t, server), time.Now()
	testbed.Await(t, "a second of the server's", works(began+100))
	used := float64(ticks(t, supervisor) - from)
	part, whole := used/float64(ticks(t, server)-began), used/(100*time.Since(since).Seconds())
	t.Logf("the supervisor takes %.3f of what the server takes, and %.3f of a processor", part, whole)
	if part > 0.2 && whole > 0.1 { // on a busy machine the server gets little of what the supervisor's bound is a part of
		t.Error("that is too much")
	}
}

// hosted gives a launch a host that does nothing, and returns how to kill it.
func hosted(t *testing.T, l *launch) (kill func()) {
	host := testbed.Background(t, exec.Command("/bin/sleep", "600"))
	fd, err := unix.PidfdOpen(host, 0)
	if err != nil {
		t.Fatal(err)
	}
	pidfd := os.NewFile(uintptr(fd), "host")
	t.Cleanup(func() { pidfd.Close() })
	l.Hosted, l.Prepare = true, func(cmd *exec.Cmd) { cmd.ExtraFiles = append(cmd.ExtraFiles, pidfd) }
	return func() { unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) }
}

// Whatever a server does without a pause, its time limit, a signal, the end of its input and the death of the host are heard,
// and the supervisor hardly takes part in it. The server would go on for much longer than the launch may.
func TestFloodStarvesNobody(t *testing.T) {
	for _, covers := range []int{3, 100} {
		s := build(t, "/var/tmp")
		var deny, dirs []string
		for i := range covers {
			dir := s.Path("write/d" + strconv.Itoa(i%3))
			os.Mkdir(dir, 0o777)
			os.Chmod(dir, 0o777)
			file := fmt.Sprintf("write/d%d/secret%d", i%3, i)
			s.fresh(t, file)
			deny = append(deny, strconv.Quote(s.Path(file)))
			if i < 3 {
				dirs = append(dirs, dir)
			}
		}
		doc := `{"version":1,"filesystem":{"allowWrite":["STAGE/write"],"denyRead":[` + strings.Join(deny, ",") + `]},LIMITS}`
		for _, c := range []struct {
			name, limits string
			do           func(*subject)
			cause        string
			short        int // the covers with which the short form tries it
		}{
			{"time limit", `"limits":{"timeout":"2s","grace":"200ms"}`, func(*subject) {}, "timeout", 100},
			{"signal", `"limits":{"grace":"200ms"}`, func(s *subject) { s.cmd.Process.Signal(unix.SIGTERM) }, "cancelled", 0},
			{"standard input", `"limits":{"grace":"200ms"},"onStdinClose":"terminate"`, func(s *subject) { s.ask.Close() }, "stdin-closed", 0},
			{"host", `"limits":{"grace":"200ms"}`, nil, "host-gone", 3},
		} {
			if testing.Short() && c.short != covers {
				continue
			}
			t.Run(strconv.Itoa(covers)+" covers/"+c.name, func(t *testing.T) {
				l := s.flooding(t, strings.Replace(doc, "LIMITS", c.limits, 1), append([]string{"rename"}, dirs...)...)
				if c.do == nil {
					kill := hosted(t, &l)
					c.do = func(*subject) { kill() }
				}
				r, w := altered.Pipe(t)
				cmd, under, done := altered.Start(t, l, r)
				r.Close()
				e := under.Began()
				if len(e.Warnings) > 0 {
					t.Fatal(e.Warnings)
				}
				if c.cause != "timeout" { // else the server may end first
					hardlyTakesPart(t, cmd.Process.Pid, e.PID)
				}
				c.do(&subject{T: t, stage: s, cmd: cmd, pid: e.PID, ask: w})
				o := done()
				w.Close()
				last := o.Report[len(o.Report)-1]
				if wall, _ := last["wallSeconds"].(float64); last["cause"] != c.cause || wall > flooded.Seconds()/2 {
					t.Errorf("%v\n%s", last, o.Stderr)
				}
			})
		}
	}
}
