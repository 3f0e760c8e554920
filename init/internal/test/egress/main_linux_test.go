package egress_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"testing"

	"github.com/security-mcp/mcp-sandbox/init/internal/test/host"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed"
	"github.com/security-mcp/mcp-sandbox/scripts/testbed/world"
	"golang.org/x/sys/unix"
)

// worldEnv is the stage of a process of these tests: unset outside, then the folder of the world's files where the world
// is to be made, then inWorld.
const (
	worldEnv = "EGRESS_TEST_WORLD"
	inWorld  = "made"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == clientIs {
		os.Exit(client(os.Args[2:]))
	}
	testbed.Machines()
	host.Main()
	switch dir := os.Getenv(worldEnv); dir {
	case inWorld:
		os.Exit(testbed.Run(m))
	case "":
		os.Exit(apart())
	default:
		println("egress: the world:", becomeWorld(dir).Error())
		os.Exit(host.Wrong)
	}
}

func becomeWorld(dir string) error {
	os.Setenv(worldEnv, inWorld)
	return world.Become(dir, map[string]string{"/etc/passwd": passwd()}, os.Args, os.Environ())
}

// apart runs this test binary in namespaces of its own.
func apart() int {
	dir, err := os.MkdirTemp("", "mcp-sandbox-egress-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		println(err.Error())
		return 1
	}
	defer os.RemoveAll(dir)
	runtime.LockOSThread() // whose end would be the child's; PR_SET_PDEATHSIG(2const)
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), worldEnv+"="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = world.Attributes()
	if err := cmd.Start(); err != nil {
		println("egress: namespaces:", err.Error())
		return 1
	}
	quit := make(chan os.Signal, 1) // go test's, when its time is over: the tests' process tells where it stands
	signal.Notify(quit, unix.SIGQUIT)
	go func() {
		for s := range quit {
			cmd.Process.Signal(s)
		}
	}()
	if err := cmd.Wait(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		println(err.Error())
	}
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code
	}
	println("egress: the tests:", cmd.ProcessState.String())
	return 1
}
