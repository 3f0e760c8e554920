package why_test

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/security-mcp/mcp-sandbox/init/order"
	"golang.org/x/sys/unix"
)

// serverName is the argument of a test binary that makes attempts.
const serverName = "attempts"

// An act is what is asked about, and tried.
type act struct {
	Path   string
	Op     order.Op
	Socket bool
}

func (a act) question() order.Question {
	if a.Socket {
		return order.Question{Socket: a.Path}
	}
	return order.Question{Path: a.Path, Op: a.Op}
}

// An outcome is that of an act.
type outcome struct {
	Done     bool
	Dev, Ino uint64 // of what was opened, executed or made
	Made     string // a file that was made
	Err      string
}

// serve makes the attempts that come on standard input.
func serve([]string) int {
	var acts []act
	if err := json.NewDecoder(os.Stdin).Decode(&acts); err != nil {
		println(err.Error())
		return 3
	}
	all := make([]outcome, len(acts))
	for i, a := range acts {
		all[i] = a.try()
	}
	json.NewEncoder(os.Stdout).Encode(all)
	return 0
}

func (a act) try() (o outcome) {
	var err error
	switch {
	case a.Socket:
		var c net.Conn
		if c, err = net.Dial("unix", a.Path); err == nil {
			c.Close()
			err = o.look(a.Path)
		}
	case a.Op == order.OpRead:
		err = o.read(a.Path)
	case a.Op == order.OpWrite:
		err = o.write(a.Path)
	default:
		cmd := exec.Command(a.Path)
		if err = cmd.Start(); err == nil {
			cmd.Wait()
		}
		if err == nil || errors.Is(err, unix.ENOEXEC) { // the kernel has read the file, and knows no such program
			err = o.look(a.Path)
		}
	}
	if o.Done = err == nil; err != nil {
		o.Err = err.Error()
	}
	return o
}

// look notes which file a path leads to.
func (o *outcome) look(path string) error {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	o.Dev, o.Ino = st.Dev, st.Ino
	return err
}

func (o *outcome) note(f *os.File) error {
	st, err := f.Stat()
	if err == nil {
		sys := st.Sys().(*syscall.Stat_t)
		o.Dev, o.Ino = sys.Dev, sys.Ino
	}
	return err
}

func (o *outcome) read(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := o.note(f); err != nil {
		return err
	}
	if st, err := f.Stat(); err != nil || !st.IsDir() {
		return err
	}
	_, err = f.ReadDir(-1)
	return err
}

func (o *outcome) write(path string) error {
	flags := os.O_WRONLY | os.O_APPEND | unix.O_NONBLOCK | unix.O_NOCTTY
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		path = filepath.Join(path, "made by a server")
		flags, o.Made = flags|os.O_CREATE|os.O_EXCL, path
	case err == nil && st.Mode()&os.ModeNamedPipe != 0:
		flags = os.O_RDWR // else without a reader it fails; fifo(7)
	case os.IsNotExist(err): // the target of a link is made, if that is missing
		flags, o.Made = flags|os.O_CREATE, path
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	return o.note(f)
}
