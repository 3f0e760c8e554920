// Package stage has what the commands that start machines and containers share: their main function, and a folder of
// programs built for them.
//
//	func main() { stage.Main("kernels", run) }
//
//	s, err := stage.New("mcp-sandbox-kernels-")
//	defer s.Remove()
//	err = s.Go(ctx, "build", "-o", s.Dir+"/", "./cmd/...")
package stage

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
)

// Main runs a command, whose context ends with SIGINT and SIGTERM, and exits. The exit status of an error is 2.
func Main(name string, run func(context.Context) (int, error)) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		code = 2
	}
	os.Exit(code)
}

// A Stage is a folder of programs, and the checkout from which they are built.
type Stage struct{ Checkout, Dir string }

// New makes a stage, and removes those of the same beginning that killed runs left behind.
func New(beginning string) (*Stage, error) {
	Sweep(os.TempDir(), beginning)
	root, err := testbed.Root()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", beginning)
	return &Stage{root, dir}, err
}

// Remove removes the stage's folder.
func (s *Stage) Remove() { os.RemoveAll(s.Dir) }

// Go runs the go command without cgo: a guest has the host's libraries, but nothing here needs them.
func (s *Stage) Go(ctx context.Context, verb string, args ...string) error {
	cmd := exec.CommandContext(ctx, "./scripts/go", append([]string{verb, "-trimpath"}, args...)...)
	cmd.Dir, cmd.Env = s.Checkout, append(os.Environ(), "CGO_ENABLED=0")
	return Run(cmd)
}

// Run runs a command whose output is of interest only if it fails.
func Run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

// Sweep removes the folders of a name's beginning in dir that are older than a day: no run takes that long.
func Sweep(dir, beginning string) {
	_ = exec.Command("find", dir, "-maxdepth", "1", "-type", "d", "-name", beginning+"*", "-mtime", "+0",
		"-exec", "rm", "-rf", "{}", "+").Run() // what stays takes room and nothing else
}
