package altered

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/security-mcp/mcp-sandbox/init/internal/confine/layers"
	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// A Launch is what a test tells its shim. With TTY standard input is the terminal of the shim's own session, as
// pty.Start makes it.
type Launch struct {
	host.Launch
	Env []string // of the server
	Dir string
	Without
	Launcher
	Fault

	List    bool            // write the program to descriptor 4 when it has run
	Whole   bool            // write there, as Tried, what one comparison of all comes to
	Change  []string        // write there which changes of the evidence are not noticed; the names of the rows
	Prepare func(*exec.Cmd) `json:"-"` // before the shim is started
	altered *layers.Layout
}

// Without names a call of the program by Line and Op: no two launches of one policy may differ. Flags are taken out of
// its first argument; without any the call is replaced by one that does nothing.
type Without struct {
	Line  string
	Op    int
	Flags uint64
	Also  []int // further calls that are replaced
}

// A Launcher says how the launcher is started, and on what machine.
type Launcher struct {
	Verbose bool
	ABI     int           // of Landlock at most; 0: the machine's, -1: none
	Umask   int           // the launcher's; 0: 027
	Files   int           // the launcher's limit of open files; 0: what the test has
	Hosted  bool          // descriptor 5 is a pidfd of the process whose end is the host's
	NoShim  bool          // the launch is made in the process itself; the attempt that needs a shim is refused
	Timeout time.Duration // until the evidence is complete; 0: what a launch has
}

// A Fault is what else goes wrong.
type Fault struct {
	Swap    string // a path that something else takes the place of between the plan and the program
	Once    string // alters the calls around the one execve: "pend", "refuse" or "stuck"
	Sockets string // a file: whether it is there at Begin of what serves the sockets
	Break   bool   // replace the call that covers a file again by one that does nothing
	Late    string // a file that the host puts in the place of a denied one between a repair's look at it and its cover

	Elsewhere bool   // the server's process is made beside init, and not in its group
	Stuck     bool   // the runner sleeps and makes no init
	Lost      string // with NoShim: "parent" or "init", which is killed between the report and the release
	Panic     string // with NoShim, where the launch's goroutine panics: "program", "evidence", or at a record's event
	Stall     int    // a call at which its process sleeps for ever; 0: none
	Unknown   int    // a call that is replaced by one that no kernel knows; 0: none
	Wrong     int    // a mount whose options are replaced by its source's name, which no file system knows; 0: none
}

// An Outcome is all that a launch left behind.
type Outcome struct {
	Code           int // 128 and more: the shim itself was killed
	Report         []map[string]any
	Stdout, Stderr string
	List           []Op
	Tried          json.RawMessage
}

// Start starts a shim; done waits for it and gathers what it left.
func Start(tb testing.TB, l Launch, stdin io.Reader) (cmd *exec.Cmd, under *host.Run, done func() Outcome) {
	tb.Helper()
	request, err := json.Marshal(l)
	if err != nil {
		tb.Fatal(err)
	}
	cmd = testbed.As(shimName, string(request))
	cmd.Stdin, cmd.Dir = stdin, testbed.Scratch(tb) // what a launch makes whose mounts were taken away
	if l.TTY {
		master, slave, err := pty.Open()
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { master.Close(); slave.Close() })
		cmd.Stdin = slave
	}
	lists, listTo := Pipe(tb)
	cmd.ExtraFiles = []*os.File{listTo}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: l.TTY, Setctty: l.TTY}
	if os.Geteuid() == 0 { // with groups that the server must not have
		cmd.SysProcAttr.Credential = &syscall.Credential{Groups: []uint32{0, 12345}}
	}
	if l.Prepare != nil {
		l.Prepare(cmd)
	}
	under = host.Start(tb, cmd)
	listTo.Close()
	hangs := time.AfterFunc(l.timeLimit(), func() { cmd.Process.Kill() })
	return cmd, under, func() Outcome {
		defer hangs.Stop()
		defer lists.Close()
		var o Outcome
		if l.Change != nil || l.Whole {
			json.NewDecoder(lists).Decode(&o.Tried)
		} else {
			json.NewDecoder(lists).Decode(&o.List)
		}
		under.Wait()
		for _, line := range under.Lines {
			var r map[string]any
			if err := json.Unmarshal(line, &r); err != nil {
				tb.Fatal(err)
			}
			o.Report = append(o.Report, r)
		}
		if o.Code = under.Code; o.Code < 0 {
			o.Code = 128
		}
		o.Stdout, o.Stderr = under.Stdout.String(), under.Stderr.String()
		return o
	}
}

// Run is Start, and waits for the end.
func Run(tb testing.TB, l Launch) Outcome {
	tb.Helper()
	_, _, done := Start(tb, l, nil)
	return done()
}
