package world

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"runtime"

	"golang.org/x/sys/unix"
)

// stageEnv is the stage of a process of [Tests]: unset outside, then the folder of the world's files where the world is
// to be made, then inWorld.
const (
	stageEnv = "MCP_SANDBOX_TEST_WORLD"
	inWorld  = "made"
)

// Tests runs this test binary again in a world with files, as [Become] knows them, where its tests run. It returns the
// status to exit with.
func Tests(files map[string]string, tests func() int) int {
	switch dir := os.Getenv(stageEnv); dir {
	case inWorld:
		return tests()
	case "":
		return apart()
	default:
		os.Setenv(stageEnv, inWorld)
		println("world:", Become(dir, files, os.Args, os.Environ()).Error())
		return 1
	}
}

// apart runs this test binary in namespaces of its own.
func apart() int {
	dir, err := os.MkdirTemp("", "mcp-sandbox-world-")
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
	cmd.Env = append(os.Environ(), stageEnv+"="+dir)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = Attributes()
	if err := cmd.Start(); err != nil {
		println("world: namespaces:", err.Error())
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
	println("world: the tests:", cmd.ProcessState.String())
	return 1
}
