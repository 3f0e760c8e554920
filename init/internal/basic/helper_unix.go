//go:build darwin || linux

package basic

import (
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/internal/ending"
)

// The processes that a shim starts from its own binary, by their first argument.
const (
	helperName = "server" // sets the limits in its own process and then executes the server
	keeperName = "keeper" // ends the tree should the shim be killed
)

// The descriptors of both beside the first three.
const (
	downFD = 3 // from the shim; its end is the shim's
	upFD   = 4
)

// IsHelper reports whether an argument is the name of a process that a shim starts beside the server.
func IsHelper(name string) bool { return name == helperName || name == keeperName }

// Helper is the main of such a process. It returns an exit code only if something fails.
func Helper(name string, say func(string)) int {
	if name == keeperName {
		return keep()
	}
	down, up := os.NewFile(downFD, "down"), os.NewFile(upFD, "up")
	err := help(down, up)
	if errors.Is(err, errShimGone) {
		return ending.ExitSandbox
	}
	var errno syscall.Errno
	errors.As(err, &errno)
	tell(up, "error", strconv.Itoa(int(errno)), err.Error())
	if errno == syscall.ENOENT {
		return ending.ExitMissing
	}
	return ending.ExitCannot
}

// tell writes one record: words with a NUL behind each, and a line break.
func tell(up io.Writer, words ...string) {
	up.Write([]byte(strings.ReplaceAll(strings.Join(words, "\x00"), "\n", " ") + "\n"))
}

// errShimGone is the end of the shim before the release: there is nobody to tell.
var errShimGone = errors.New("the shim is gone")

// help does what it was told, tells what it reads back, waits for the release, and executes the server.
func help(down, up *os.File) error {
	s, err := receive(down)
	if err != nil {
		return err
	}
	for _, step := range [...]func(*spec, *os.File) error{closeRest, setUmask, setDir, setLimits, setIDs, checkCommand} {
		if err = step(s, up); err != nil {
			return err
		}
	}
	tell(up, "ready")
	if n, _ := down.Read(make([]byte, 1)); n != 1 {
		return errShimGone
	}
	return os.NewSyscallError("execve "+s.command, syscall.Exec(s.command, s.args, s.env))
}

// receive reads the spec, which says first how long it is.
func receive(down io.Reader) (*spec, error) {
	head, one := "", make([]byte, 1)
	for !strings.HasSuffix(head, "\n") {
		if n, err := down.Read(one); n != 1 || len(head) > 12 {
			return nil, errors.Join(errSpec, err)
		}
		head += string(one)
	}
	n, err := strconv.Atoi(strings.TrimSuffix(head, "\n"))
	if err != nil || n < 0 || n > 16<<20 {
		return nil, errSpec
	}
	b := make([]byte, n)
	if _, err = io.ReadFull(down, b); err != nil {
		return nil, err
	}
	return decodeSpec(string(b))
}
