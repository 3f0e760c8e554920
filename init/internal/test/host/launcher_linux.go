// Package host is what the tests of whole launches share: the test binary as a launcher, its order,
// and what a launch left behind. Tests alone import it.
//
//	func TestMain(m *testing.M) { host.Main(nil); os.Exit(testbed.Run(m)) }
//
//	run := host.Finish(t, host.Launch{Policy: doc, Command: command}.Cmd(t))
//	fmt.Println(run.Code, run.Exited.Cause)
package host

import (
	"encoding/json"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"github.com/security-mcp/mcp-sandbox/init/reexec"
	"github.com/security-mcp/mcp-sandbox/policy"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Name is argument 0 of a test binary that is a launcher, or argument 1 where a shell or another program starts it.
const Name = "launcher of a test"

// ReportFD is where such a launcher reports to, if it was given that descriptor.
const ReportFD = 3

// A Launch is what a test asks a launcher for, and the environment of that. The launches of a package embed it, and
// make its policy of what they say.
type Launch struct {
	Policy  string // the document
	Command []string
	Run     bool   // as mcp-sandbox run; else as mcp-sandbox-init
	Begin   string // the confinement to begin with; "" for full
	TTY     bool
	Guard   bool // of standard output
	order.Stored

	Env []string `json:"-"` // nil: that of the tests
}

// Main ends this process as the shim, as a launcher, or in one of the test's own roles. Else it returns.
func Main(own testbed.Roles) {
	reexec.Init()
	testbed.Roles{Name: launch}.Play()
	own.Play()
}

func launch(words []string) int {
	var l Launch
	err := json.Unmarshal([]byte(words[0]), &l)
	var built *order.Order
	if err == nil {
		built, err = l.Build()
	}
	if err != nil {
		println(err.Error())
		return testbed.WrongRole
	}
	return reexec.Run(built)
}

// Build is the order as the product's launchers make it from their flags.
func (l Launch) Build() (*order.Order, error) {
	p, err := policy.Parse([]byte(l.Policy))
	if err != nil {
		return nil, err
	}
	by := policy.Init
	if l.Run {
		by = policy.Run
	}
	built, err := order.New(p, by, l.Command, os.Environ(), "/")
	if err != nil {
		return nil, err
	}
	// What the Go runtime has opened is closed at an execve.
	if flags, err := unix.FcntlInt(ReportFD, unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
		built.ReportFD = ReportFD
	}
	built.TTY, built.StdoutGuard, built.Begin, built.Stored = l.TTY, l.Guard, l.Begin, l.Stored
	if l.Begin != "" {
		built.Why = "a test"
	}
	return built, nil
}

// Args are the arguments of a launcher, argument 0 among them.
func (l Launch) Args(tb testing.TB) []string {
	tb.Helper()
	b, err := json.Marshal(l)
	if err != nil {
		tb.Fatal(err)
	}
	return []string{Name, string(b)}
}

// Cmd is a launcher that is not started yet. Root's has a group that its server must not have.
func (l Launch) Cmd(tb testing.TB) *exec.Cmd {
	tb.Helper()
	cmd := testbed.As(Name, l.Args(tb)[1])
	cmd.Env = l.Env
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Groups: []uint32{0}}}
	}
	return cmd
}

// Env is the environment of a launcher that knows nothing of this one: a home of its own, programs, and more.
func Env(tb testing.TB, more ...string) []string {
	return append([]string{"HOME=" + testbed.Folder(tb), "PATH=/usr/bin:/bin", testbed.NoWait}, more...)
}
