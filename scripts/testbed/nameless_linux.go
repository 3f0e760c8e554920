package testbed

import (
	"errors"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// namelessEnv is set where passwd(5) has no line for root any more.
const namelessEnv = "MCP_SANDBOX_TEST_NAMELESS"

// Nameless has root's HOME count for the product's programs as that of the ordinary user of scripts/test-owned does: it
// runs this program again in a mount namespace whose passwd(5) has no line for root, and returns there. Call it first
// in main or TestMain. Where that is not possible it says why and returns: what the programs keep is then kept in
// root's home.
func Nameless() {
	if os.Geteuid() != 0 || os.Getenv(namelessEnv) != "" {
		return
	}
	text, err := os.ReadFile("/etc/passwd")
	var others strings.Builder
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(line, ":"); len(f) > 2 && f[2] != "0" {
			others.WriteString(line)
		}
	}
	file, failed := os.CreateTemp("", "mcp-sandbox-passwd-")
	if err = errors.Join(err, failed); err == nil {
		_, err = file.WriteString(others.String())
		err = errors.Join(err, file.Chmod(0o644), file.Close())
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err == nil {
			err = unix.Unshare(unix.CLONE_NEWNS)
		}
		if err == nil {
			err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, "")
		}
		if err == nil {
			err = unix.Mount(file.Name(), "/etc/passwd", "", unix.MS_BIND, "")
		}
		err = errors.Join(err, os.Remove(file.Name())) // the mount keeps the file
	}
	if err == nil {
		err = unix.Exec("/proc/self/exe", os.Args, append(os.Environ(), namelessEnv+"=1"))
	}
	println("testbed: passwd:", err.Error())
}
