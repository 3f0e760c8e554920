// Package host is what the tests of whole launches share: the test binary as a launcher, its order,
// and what a launch left behind. Tests alone import it.
//
//	func TestMain(m *testing.M) { host.Main(nil); os.Exit(testbed.Run(m)) }
//
//	run := host.Start(t, host.Order{Policy: doc, Command: command}.Cmd(t))
//	run.Wait()
//	fmt.Println(run.Code, run.Exited.Cause)
package host

import (
	"encoding/json"
	"os"
	"os/exec"
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

// An Order is what a test asks a launcher for.
type Order struct {
	Policy  string // the document
	Command []string
	Run     bool   // as mcp-sandbox run; else as mcp-sandbox-init
	Begin   string // the confinement to begin with; "" for full
	TTY     bool
	Guard   bool // of standard output
	order.Stored
}

// Main ends this process as the shim, as a launcher, or in one of the test's own roles. Else it returns.
func Main(own testbed.Roles) {
	reexec.Init()
	testbed.Roles{Name: launch}.Play()
	own.Play()
}

func launch(words []string) int {
	var o Order
	err := json.Unmarshal([]byte(words[0]), &o)
	var built *order.Order
	if err == nil {
		built, err = o.Build()
	}
	if err != nil {
		println(err.Error())
		return testbed.WrongRole
	}
	return reexec.Run(built)
}

// Build is the order as the product's launchers make it from their flags.
func (o Order) Build() (*order.Order, error) {
	p, err := policy.Parse([]byte(o.Policy))
	if err != nil {
		return nil, err
	}
	by := policy.Init
	if o.Run {
		by = policy.Run
	}
	built, err := order.New(p, by, o.Command, os.Environ(), "/")
	if err != nil {
		return nil, err
	}
	// What the Go runtime has opened is closed at an execve.
	if flags, err := unix.FcntlInt(ReportFD, unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
		built.ReportFD = ReportFD
	}
	built.TTY, built.StdoutGuard, built.Begin, built.Stored = o.TTY, o.Guard, o.Begin, o.Stored
	if o.Begin != "" {
		built.Why = "a test"
	}
	return built, nil
}

// Args are the arguments of a launcher, argument 0 among them.
func (o Order) Args(tb testing.TB) []string {
	tb.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		tb.Fatal(err)
	}
	return []string{Name, string(b)}
}

// Cmd is a launcher that is not started yet.
func (o Order) Cmd(tb testing.TB) *exec.Cmd {
	tb.Helper()
	return testbed.As(Name, o.Args(tb)[1])
}
