// Package scripttest runs the programs of this module in txtar scripts, as a user would.
//
//	func TestMain(m *testing.M) { scripttest.Main(m, "mcp-sandbox", main) }
//	func TestScripts(t *testing.T) { scripttest.Run(t) }
//
// The test binary is the program. Besides testscript's own commands there are two: "exits N COMMAND" demands an exit
// status, and "refuses N COMMAND" demands besides that nothing came on standard output and that every line on standard
// error, at least one, is the launcher's. The condition [root] holds for user 0. [Scripts.TypeProposals] has what the
// lines of launches propose typed.
package scripttest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
)

// Main makes the test binary the program where it is started under that name. m is a *testing.M, or what runs one.
func Main(m interface{ Run() int }, name string, main func()) {
	testscript.Main(m, map[string]func(){name: main})
}

// Scripts are the scripts of a package; the zero value runs them.
type Scripts struct {
	typed string       // the program whose lines are typed; "" for none
	lines atomic.Int32 // of launches whose lines were typed
}

// Run runs the scripts in testdata/script.
func Run(t *testing.T) { new(Scripts).Run(t) }

// Run runs the scripts in testdata/script.
func (s *Scripts) Run(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			// The servers of a root launcher are another user: the way to their programs must be open.
			for dir := e.WorkDir; dir != os.TempDir() && len(dir) > 1; dir = filepath.Dir(dir) {
				if err := os.Chmod(dir, 0o755); err != nil {
					return err
				}
			}
			// Reports are kept beside the scripts, and not in the home of whoever runs the tests.
			e.Setenv("XDG_STATE_HOME", filepath.Join(filepath.Dir(e.WorkDir), "kept"))
			return nil
		},
		Condition: func(word string) (bool, error) {
			if word != "root" {
				return false, errors.New("no condition is called " + word)
			}
			return os.Geteuid() == 0, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": s.exits, "refuses": s.refuses},
	})
}

// notBegun is ERROR_INTERNAL_ERROR. On a busy machine the CreateProcess of Wine fails with it now and then: Wine made
// the process, and the process ended before its first instruction. No other system has this number.
const notBegun = syscall.Errno(1359)

func (s *Scripts) exits(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, args)
	s.typeProposals(ts, args)
}

func (s *Scripts) refuses(ts *testscript.TestScript, neg bool, args []string) {
	refuses(ts, neg, args)
	s.typeProposals(ts, args)
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND [ARG...]")
	}
	status := 0
	err := ts.Exec(args[1], args[2:]...)
	for n := 0; n < 3 && errors.Is(err, notBegun); n++ {
		err = ts.Exec(args[1], args[2:]...)
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || status != want {
		ts.Fatalf("exit status %d, want %s", status, args[0])
	}
}

func refuses(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("on standard output: %q", out)
	}
	if problem := Foreign(ts.ReadFile("stderr")); problem != "" {
		ts.Fatalf("%s", problem)
	}
}

// width is how many columns a line on standard error has at most.
const width = 200

// Foreign finds what is not the launcher's on standard error: no line at all, one that does not start with its name, or
// one that is too wide.
func Foreign(stderr string) string {
	if !strings.HasSuffix(stderr, "\n") {
		return "no whole line on standard error: " + strconv.Quote(stderr)
	}
	for line := range strings.Lines(stderr) {
		if !strings.HasPrefix(line, "mcp-sandbox: ") {
			return "a line on standard error that is not the launcher's: " + strconv.Quote(line)
		}
		if utf8.RuneCountInString(line) > 1+width {
			return "a line of more than " + strconv.Itoa(width) + " columns: " + strconv.Quote(line)
		}
	}
	return ""
}
